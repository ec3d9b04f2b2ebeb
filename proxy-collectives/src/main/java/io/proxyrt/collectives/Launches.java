/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Pattern;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.op.OpsPoster;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** Launches what a communicator's user asks for, once it was checked: ops to the proxy, a kernel to the stream. */
final class Launches {
    private final Ring[] rings;
    private final KernelLauncher launcher;
    private final LaunchPlanner planner;
    private final LaunchOps ops;
    private final OpsPoster poster;
    private final StreamWaiter waiter;
    private final FirstFailure failure;
    private final Agreement agreement;
    private final UserMemory memory;
    /** Null on a GPU. */
    private final Doubling doubling;
    private final Duration timeout;

    /** Of a communicator's parts. */
    Launches(CommunicatorParts parts) {
        this.rings = parts.rings;
        this.launcher = parts.launcher;
        this.planner = parts.planner;
        this.ops = parts.ops;
        this.poster = parts.poster;
        this.waiter = parts.waiter;
        this.failure = parts.failure;
        this.agreement = parts.failure.agreement();
        this.memory = parts.memory;
        this.doubling = parts.doubling;
        this.timeout = parts.timeout;
    }

    /** Whether an all-reduce goes by doubling. */
    boolean isDoubling(long bytes) {
        return planner.isDoubling(bytes);
    }

    /** What the next launch shall do. */
    CollectiveWork work(CollFunction function, DataType type, RedOp op, int root) {
        waiter.awaitKernel(launcher.capacity(), timeout);
        return launcher.work().function(function, type, op, root);
    }

    void launch(Pattern pattern, CollectiveWork work) {
        agreement.collective(work.word(), work.bytes());
        if (work.bytes() == 0) {
            return;
        }
        load(work);
        try {
            cutAndLaunch(pattern, work);
        } catch (RuntimeException | Error e) {
            throw broken(e);
        }
    }

    private void cutAndLaunch(Pattern pattern, CollectiveWork work) {
        planner.plan(work);
        long opCount = ops.nextCollective();
        work.opCount(opCount);
        int channels = launcher.channels();
        long part = RingGeometry.alignUp((work.bytes() + channels - 1) / channels);
        for (int c = 0; c < channels; c++) {
            long offset = Math.min(work.bytes(), c * part);
            long length = Math.min(part, work.bytes() - offset);
            RingGeometry geometry = launcher.prepare(c, offset, length);
            if (length > 0 && rings.length > 0) {
                ops.ring(opCount, rings[c], geometry, pattern, work);
            }
        }
        poster.post();
        launcher.launchCollective();
        waiter.driveKernels();
    }

    void launchDoubling(MemorySegment sendBuffer, MemorySegment recvBuffer, long bytes, DataType type, RedOp op) {
        agreement.collective(OpWord.word(CollFunction.ALL_REDUCE, type, op, 0), bytes);
        if (!doubling.isConnected()) {
            waiter.await(timeout);
            orAbort("it could not connect", () -> doubling.connect(timeout));
        }
        waiter.awaitKernel(launcher.capacity(), timeout);
        try {
            doubling.work().function(CollFunction.ALL_REDUCE, type, op, 0).buffers(sendBuffer, recvBuffer, bytes);
            doubling.append(ops);
            poster.post();
            doubling.launch();
            waiter.driveKernels();
        } catch (RuntimeException | Error e) {
            throw broken(e);
        }
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
            poster.post();
            launcher.launchMessage();
            waiter.driveKernels();
        } catch (RuntimeException | Error e) {
            throw broken(e);
        }
    }

    /** What was launched ends first: whom this rank now waits for may still wait for it. */
    private void connect(int first, int second) {
        if (!launcher.isConnected(first) || !launcher.isConnected(second)) {
            waiter.await(timeout);
            orAbort("it could not connect", () -> launcher.connect(first, second, timeout));
            memory.connected(first, second);
        }
    }

    /** The ranks of a process may share a device, which loads nothing while one's kernel waits for another's. */
    private void load(CollectiveWork work) {
        if (!launcher.isLoaded(work)) {
            waiter.await(timeout);
            orAbort("it could not load a kernel", () -> {
                launcher.load(work);
                agreement.barrier(timeout);
            });
        }
    }

    /** It takes the ranks in step; after half of it there is no second try. */
    private void orAbort(String what, Runnable step) {
        try {
            step.run();
        } catch (ProxyException e) {
            throw failure.of(new ProxyException(e.result(), what + ": " + e.getMessage(), e));
        } catch (RuntimeException | Error e) {
            throw broken(e);
        }
    }

    /** The other ranks count on a launch that was begun. */
    private RuntimeException broken(Throwable e) {
        if (e instanceof ProxyException known) {
            return failure.of(known);
        }
        return failure.of(new ProxyException(ProxyResult.INTERNAL_ERROR, "a launch died of " + e, e));
    }
}
