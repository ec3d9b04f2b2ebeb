/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.collectives.kernel.CollNetKernel;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Pattern;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.runtime.ProxyState;
import java.lang.foreign.MemorySegment;

/** The path of kernels of the host. Small all-reduces go by recursive doubling; the runtime ends what is launched. */
final class HostLaunches extends Launches {
    private final HostLauncher launcher;
    private final HostWaiter waiter;
    private final Doubling doubling;
    /** Null if the network carries out nothing, or no more. */
    private CollNetLauncher collNet;
    /** Null if what it does not finish is not done again. */
    private final CollNetRedo redo;

    private HostLaunches(CommunicatorParts parts, LaunchPlanner planner, LaunchOps ops, HostLauncher launcher,
            HostWaiter waiter) {
        super(parts, planner, ops, launcher, waiter, ArgumentCheck.ofHost(parts.setup, parts.proxy.isInvoker()));
        this.launcher = launcher;
        this.waiter = waiter;
        this.doubling = new Doubling(parts.setup, parts.rings.length, launcher);
        CollNet network = parts.collNet().collNet();
        this.collNet = network == null ? null : new CollNetLauncher(network, launcher, ops, planner,
                parts.setup.rank());
        this.redo = network == null || !parts.config.get(CollectivesOptions.COLLNET_REDO) ? null
                : new CollNetRedo(parts, collNet, waiter);
    }

    /** Blocks until all ranks do so. */
    static HostLaunches of(RankRuntime runtime, FirstFailure failure) {
        ProxyState proxy = runtime.proxy();
        CommunicatorParts parts = new CommunicatorParts(runtime, failure, false);
        boolean isDirect = parts.setup.agreeOnDirect(parts.rings);
        LaunchPlanner planner = LaunchPlanner.ofHost(parts.config, parts.setup.nRanks(), parts.rings, isDirect,
                parts.memory);
        LaunchOps ops = new LaunchOps(proxy.rank(), parts.poster, planner);
        HostStream stream = proxy.stream("proxy-stream-" + proxy.rank());
        return new HostLaunches(parts, planner, ops, new HostLauncher(parts, stream, planner, ops),
                new HostWaiter(parts, stream, WaitStyle.ofHost(parts.config, proxy::threading,
                        Runtime.getRuntime().availableProcessors(), parts.rings)));
    }

    @Override
    void allReduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long bytes, DataType type, RedOp op) {
        if (planner.isDoubling(bytes) && !goesByNetwork(CollFunction.ALL_REDUCE, type, op, bytes)) {
            launchDoubling(sendBuffer, recvBuffer, bytes, type, op);
        } else {
            super.allReduce(sendBuffer, recvBuffer, bytes, type, op);
        }
    }

    private boolean goesByNetwork(CollFunction function, DataType type, RedOp op, long bytes) {
        return collNet != null && collNet.takes(function, type, op, bytes);
    }

    @Override
    void cutAndLaunch(Pattern pattern, CollectiveWork work) {
        if (goesByNetwork(work.function(), work.type(), work.op(), work.bytes())) {
            launchNetwork(pattern, work);
        } else {
            super.cutAndLaunch(pattern, work);
        }
    }

    private void launchNetwork(Pattern pattern, CollectiveWork work) {
        if (redo == null) {
            collNet.append(work);
            startNetwork();
            return;
        }
        redo.begin(work);
        CollNetKernel kernel = collNet.append(work);
        redo.watch(kernel);
        startNetwork();
        if (!redo.isDone(kernel)) {
            collNet = null;
            agreement.again();
            super.cutAndLaunch(pattern, redo.again(launcher.work()));
        }
    }

    private void startNetwork() {
        parts.poster.post();
        collNet.launch();
        waiter.launched();
    }

    private void launchDoubling(MemorySegment sendBuffer, MemorySegment recvBuffer, long bytes, DataType type,
            RedOp op) {
        agreement.collective(OpWord.word(CollFunction.ALL_REDUCE, type, op, 0), bytes);
        if (!doubling.isConnected()) {
            parts.await();
            orAbort("it could not connect", () -> doubling.connect(timeout));
        }
        waiter.awaitKernel(launcher.capacity(), timeout);
        try {
            doubling.work().function(CollFunction.ALL_REDUCE, type, op, 0).buffers(sendBuffer, recvBuffer, bytes);
            doubling.append(ops);
            parts.poster.post();
            doubling.launch();
            waiter.launched();
        } catch (RuntimeException | Error e) {
            throw broken(e);
        }
    }
}
