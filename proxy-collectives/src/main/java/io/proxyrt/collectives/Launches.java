/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Pattern;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DeviceCapability;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/**
 * What a communicator's user asks for, once it was checked: ops to the proxy, a kernel to the stream. There are two
 * such paths, of kernels of the host and of a GPU; each owns its launcher, its planner, its check of arguments and its
 * way to wait, and is chosen once, when the communicator is made.
 */
abstract sealed class Launches permits HostLaunches, GpuLaunches {
    final CommunicatorParts parts;
    final LaunchPlanner planner;
    final LaunchOps ops;
    final Agreement agreement;
    final Duration timeout;
    private final KernelLauncher launcher;
    private final StreamWaiter waiter;
    private final ArgumentCheck check;

    Launches(CommunicatorParts parts, LaunchPlanner planner, LaunchOps ops, KernelLauncher launcher,
            StreamWaiter waiter, ArgumentCheck check) {
        this.parts = parts;
        this.planner = planner;
        this.ops = ops;
        this.agreement = parts.failure.agreement();
        this.timeout = parts.timeout;
        this.launcher = launcher;
        this.waiter = waiter;
        this.check = check;
        parts.waiter(waiter);
    }

    /** Takes the path of the runtime's device. Blocks until all ranks do so. */
    static Launches of(RankRuntime runtime) {
        FirstFailure failure = new FirstFailure(runtime.proxy(), runtime.bootstrap());
        boolean isOnGpu = runtime.proxy().device().capabilities().contains(DeviceCapability.MODULES);
        Launches launches = isOnGpu ? GpuLaunches.of(runtime, failure) : HostLaunches.of(runtime, failure);
        SetUpLog.ready(launches.parts, launches.planner);
        return launches;
    }

    /** What looks at arguments first. */
    ArgumentCheck check() {
        return check;
    }

    void allReduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long bytes, DataType type, RedOp op) {
        launch(Pattern.RING_TWICE, work(CollFunction.ALL_REDUCE, type, op, 0).buffers(sendBuffer, recvBuffer, bytes));
    }

    /** What the next launch shall do. */
    CollectiveWork work(CollFunction function, DataType type, RedOp op, int root) {
        waiter.awaitKernel(launcher.capacity(), timeout);
        return launcher.work().function(function, type, op, root);
    }

    void launch(Pattern pattern, CollectiveWork work) {
        agreement.collective(work.word(), work.bytes());
        if (work.bytes() > 0) {
            carryOut(pattern, work);
        }
    }

    /** Launches work that all ranks were asked for. */
    void carryOut(Pattern pattern, CollectiveWork work) {
        try {
            cutAndLaunch(pattern, work);
        } catch (RuntimeException | Error e) {
            throw broken(e);
        }
    }

    void cutAndLaunch(Pattern pattern, CollectiveWork work) {
        planner.plan(work);
        long opCount = ops.nextCollective();
        work.opCount(opCount);
        int channels = launcher.channels();
        long part = RingGeometry.alignUp((work.bytes() + channels - 1) / channels);
        assert channels > 0 && channels * part >= work.bytes() : part;
        for (int c = 0; c < channels; c++) {
            long offset = Math.min(work.bytes(), c * part);
            long length = Math.min(part, work.bytes() - offset);
            RingGeometry geometry = launcher.prepare(c, offset, length);
            if (length > 0 && parts.rings.length > 0) {
                ops.ring(opCount, parts.rings[c], geometry, pattern, work);
            }
        }
        parts.poster.post();
        launcher.launchCollective();
        waiter.launched();
    }

    void message(int sendPeer, MemorySegment sendBuffer, int recvPeer, MemorySegment recvBuffer) {
        agreement.messages(sendPeer, sendBuffer, recvPeer, recvBuffer);
        connect(sendPeer < 0 ? recvPeer : sendPeer, recvPeer < 0 ? sendPeer : recvPeer);
        waiter.awaitKernel(launcher.capacity(), timeout);
        try {
            long opCount = ops.nextMessage();
            launcher.beginMessage();
            if (recvPeer >= 0) {
                launcher.recv(opCount, recvPeer, recvBuffer);
            }
            if (sendPeer >= 0) {
                launcher.send(opCount, sendPeer, sendBuffer);
            }
            parts.poster.post();
            launcher.launchMessage();
            waiter.launched();
        } catch (RuntimeException | Error e) {
            throw broken(e);
        }
    }

    /** What was launched ends first: whom this rank now waits for may still wait for it. */
    private void connect(int first, int second) {
        if (!launcher.isConnected(first) || !launcher.isConnected(second)) {
            parts.await();
            orAbort("it could not connect", () -> launcher.connect(first, second, timeout));
            parts.memory.connected(first, second);
        }
    }

    /** It takes the ranks in step; after half of it there is no second try. */
    void orAbort(String what, Runnable step) {
        try {
            step.run();
        } catch (ProxyException e) {
            throw parts.failure.of(new ProxyException(e.result(), what + ": " + e.getMessage(), e));
        } catch (RuntimeException | Error e) {
            throw broken(e);
        }
    }

    /** The other ranks count on a launch that was begun. */
    RuntimeException broken(Throwable e) {
        if (e instanceof ProxyException known) {
            return parts.failure.of(known);
        }
        return parts.failure.of(new ProxyException(ProxyResult.INTERNAL_ERROR, "a launch died of " + e, e));
    }

    /** Ends what the runtime's closing does not, once nothing is launched any more, and says what was not finished. */
    void close(long deadlineNs, List<String> abandoned) {
        parts.poster.close();
    }
}
