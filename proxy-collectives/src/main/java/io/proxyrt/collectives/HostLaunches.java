/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.collectives.kernel.CollNetKernel;
import io.proxyrt.collectives.kernel.CollectiveKernel;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.FusedKernel;
import io.proxyrt.collectives.kernel.GroupKernel;
import io.proxyrt.collectives.kernel.KernelPool;
import io.proxyrt.collectives.kernel.MessagePart;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.runtime.ProxyState;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The path of kernels of the host. Collectives go by rings, or in {@linkplain HostWay other ways}; the runtime ends
 * what is launched.
 */
final class HostLaunches extends Launches {
    /** Kernels say themselves that they are done. */
    private static final long WATCH_NS = 50_000_000;

    private final HostStream stream;
    private final HostLauncher launcher;
    private final HostWaiter waiter;
    /** Null before rings are connected, and if there is one rank. */
    private HostWays ways;
    /** Null if the network carries out nothing, or no more. */
    private CollNetLauncher collNet;
    /** Null if what it does not finish is not done again. */
    private final CollNetRedo redo;
    private final Fusion fusion;
    /** Of the launch that is being put together. */
    private KernelPool kernels;
    private GroupKernel group;

    private HostLaunches(CommunicatorParts parts, LaunchPlanner planner, LaunchOps ops, HostStream stream,
            HostLauncher launcher, HostWaiter waiter) {
        super(parts, planner, ops, launcher, waiter, ArgumentCheck.ofHost(parts.setup, parts.proxy.isInvoker()),
                waitedNs -> WATCH_NS);
        this.stream = stream;
        this.launcher = launcher;
        this.waiter = waiter;
        this.fusion = new Fusion(parts.config, parts.setup.nRanks());
        this.ways = parts.rings.length == 0 ? null : HostWays.of(parts, planner);
        CollNet network = parts.collNet().collNet();
        this.collNet = network == null ? null : new CollNetLauncher(network, launcher, ops, planner,
                parts.setup.rank());
        this.redo = network == null || !parts.config.get(CollectivesOptions.COLLNET_REDO) ? null
                : new CollNetRedo(parts, collNet, waiter);
    }

    /** Blocks until all ranks do so. */
    static HostLaunches of(RankRuntime runtime, Lanes lanes, FirstFailure failure, JobTuning ofJob) {
        ProxyState proxy = runtime.proxy();
        CommunicatorParts parts = new CommunicatorParts(runtime, lanes, failure, ofJob, false);
        HostPath path = parts.awaitsRings() ? HostPath.MIXED : parts.setup.agreeOnHostPath(parts.rings);
        LaunchPlanner planner = LaunchPlanner.ofHost(parts.config, parts.setup, parts.rings, path,
                parts.memory);
        LaunchOps ops = new LaunchOps(parts.setup.rank(), parts.poster, planner);
        HostStream stream = proxy.stream("proxy-stream-" + proxy.rank() + (runtime.group().isWhole() ? ""
                : " of " + runtime.group().name()));
        return new HostLaunches(parts, planner, ops, stream, new HostLauncher(parts, stream, planner, ops),
                new HostWaiter(parts, stream, waitStyle(parts)));
    }

    private static IdleStrategy waitStyle(CommunicatorParts parts) {
        return WaitStyle.ofHost(parts.config, parts.proxy::threading, Runtime.getRuntime().availableProcessors(),
                parts.rings);
    }

    @Override
    void ringsConnected() {
        planner.connected(parts.rings, parts.setup.agreeOnHostPath(parts.rings));
        launcher.connected(parts);
        waiter.idle(waitStyle(parts));
        ways = HostWays.of(parts, planner);
    }

    @Override
    void carryOut(CollectiveWork wanted) {
        HostWay way = goesByNetwork(wanted) || ways == null ? null : ways.of(wanted);
        if (way == null) {
            super.carryOut(wanted);
            return;
        }
        connect(way, wanted);
        awaitRoom();
        HostKernel kernel = way.prepare(launcher.kernels(), wanted, ops);
        parts.poster.post();
        launcher.launch(kernel);
        launched();
    }

    /** How what is carried out as one goes; null if by rings. */
    private HostWay way(Fusion.Batch batch) {
        return ways == null ? null : batch.size() == 1 ? ways.of(batch.piece(0))
                : ways.of(batch.function(), batch.bytes());
    }

    /** Before anything of a launch is appended; all ranks find the same. */
    private void connect(HostWay way, CollectiveWork wanted) {
        if (!way.isConnected(wanted)) {
            parts.await();
            orAbort("it could not connect", () -> way.connect(wanted, timeout));
        }
    }

    private boolean goesByNetwork(CollectiveWork work) {
        return collNet != null && work.file() == 0
                && collNet.takes(work.function(), work.type(), work.op(), work.bytes());
    }

    @Override
    Algorithm algorithm(CollectiveWork work, boolean isAlone) {
        return goesByNetwork(work) ? collNet.algorithm() : work.file() > 0 ? Algorithm.MSCCL
                : planner.algorithm(work.function(), isAlone ? work.bytes() : fusion.bytes(work));
    }

    @Override
    void cutAndLaunch(CollectiveWork work) {
        if (goesByNetwork(work)) {
            launchNetwork(work);
        } else {
            super.cutAndLaunch(work);
        }
    }

    private void launchNetwork(CollectiveWork work) {
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
            super.cutAndLaunch(redo.again(launcher.work()));
        }
    }

    private void startNetwork() {
        parts.poster.post();
        collNet.launch();
        launched();
    }

    /** What the network carries out goes by itself, before the rest. */
    @Override
    void carryOut(CallGroup wanted) {
        fusion.begin();
        for (int i = 0; i < wanted.works(); i++) {
            CollectiveWork work = wanted.work(i);
            if (goesByNetwork(work)) {
                carryOut(work);
            } else {
                fusion.add(work);
            }
        }
        for (int i = 0; i < fusion.batches(); i++) {
            begin(fusion.batch(i));
        }
        beginLaunch();
        for (int i = 0; i < fusion.batches(); i++) {
            add(fusion.batch(i));
        }
        for (int i = 0; i < wanted.messages(); i++) {
            addMessage(wanted, i);
        }
        endLaunch();
    }

    private void begin(Fusion.Batch batch) {
        HostWay way = way(batch);
        if (way != null) {
            connect(way, batch.piece(0));
        }
        if (batch.size() > 1) {
            agreement.fused(batch.piece(0).word(), batch.size(), batch.bytes());
        }
    }

    private void add(Fusion.Batch batch) {
        HostWay way = way(batch);
        makeRoom(way == null ? 2 * parts.rings.length : way.mostOps());
        if (batch.size() == 1) {
            group.add(prepare(batch.piece(0), way));
            return;
        }
        FusedKernel fused = kernels.take(FusedKernel.class);
        fused.begin();
        for (int i = 0; i < batch.size(); i++) {
            fused.add(batch.piece(i));
        }
        fused.by(prepare(fused.work(), way));
        group.add(fused);
    }

    private HostKernel prepare(CollectiveWork wanted, HostWay way) {
        return way == null ? prepareRings(wanted) : way.prepare(kernels, wanted, ops);
    }

    private HostKernel prepareRings(CollectiveWork wanted) {
        CollectiveKernel kernel = kernels.take(CollectiveKernel.class);
        wanted.copyTo(kernel.work());
        int channels = cut(kernel.work());
        for (int c = 0; c < channels; c++) {
            prepare(c, kernel.work(), kernel.prepare(c, offset(c), length(c, kernel.work())));
        }
        return kernel;
    }

    private void addMessage(CallGroup wanted, int index) {
        Message message = wanted.message(index);
        if (message.peer != parts.setup.rank()) {
            if (message.isMoved) {
                makeRoom(1);
                launcher.add(group.messages(), message);
            }
        } else if (message.isSend && message.isMoved) {
            MessagePart to = wanted.message(index + 1).part;
            group.messages().copy(message.part, to.buffer(), to.offset());
        }
    }

    @Override
    void launchOn(DeviceStream stream) {
        throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + parts.setup.rank() + ": kernels of "
                + parts.proxy.device().name() + " are in order with no stream of a device: wait with synchronize, or by"
                + " the future of groupAsync");
    }

    @Override
    CompletableFuture<Void> completion() {
        CompletableFuture<Void> future = completions.add(() -> false);
        onDone(isDropped -> {
            if (isDropped) {
                completions.fail(future);
            } else {
                completions.complete(future);
            }
        });
        return future;
    }

    @Override
    void onDone(Consumer<Boolean> listener) {
        awaitRoom();
        launcher.launch(new CompletionKernel(listener));
        launched();
    }

    @Override
    void copy(CopiedInputs inputs, MemorySegment to) {
        beginLaunch();
        inputs.redirect(to, group.messages()::copy);
        endLaunch();
    }

    private void beginLaunch() {
        awaitRoom();
        kernels = launcher.kernels();
        group = kernels.take(GroupKernel.class);
        group.begin();
    }

    private void endLaunch() {
        if (!group.isEmpty()) {
            parts.poster.post();
            launcher.launch(group);
            launched();
        }
    }

    /** Ops end when kernels move data: so what is added is launched before the poster waits for room. */
    private void makeRoom(int most) {
        if (parts.poster.room() < most && !group.isEmpty()) {
            endLaunch();
            beginLaunch();
        }
    }

    @Override
    long outstandingKernels() {
        return stream.outstanding();
    }

    /** While others use the runtime; it ends what is launched otherwise. */
    @Override
    void leave(long deadlineNs, List<String> abandoned) {
        if (!parts.proxy.streams().remove(stream, deadlineNs)) {
            abandoned.add(stream.describe() + ", which does not come back from its kernel; the stream stays");
            return;
        }
        freeInputs();
        String dropped = stream.abandoned();
        if (!dropped.isEmpty()) {
            abandoned.add(dropped);
        }
    }
}
