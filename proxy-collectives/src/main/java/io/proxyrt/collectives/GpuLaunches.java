/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.collectives.gpu.DevicePrograms;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.MessagePart;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.runtime.ProxyState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The path of a GPU's kernels: they are compiled when first needed, and end with the communicator. */
final class GpuLaunches extends Launches {
    /** No GPU says that a kernel is done: it is asked, at first often. */
    private static final long LEAST_WATCH_NS = 20_000;
    private static final long MOST_WATCH_NS = 1_000_000;

    private final GpuLauncher launcher;
    private final GpuWaiter waiter;
    private final OneShot oneShot;
    private final GpuTrees trees;
    /** Null if the nodes are not alike. */
    private final GpuHierarchical byNodes;
    /** Rooms for inputs that graphs may still use. */
    private final List<DeviceMemory> outgrown = new ArrayList<>();
    private boolean isCapturing;

    private GpuLaunches(CommunicatorParts parts, LaunchPlanner planner, LaunchOps ops, GpuLauncher launcher,
            GpuWaiter waiter) {
        super(parts, planner, ops, launcher, waiter, ArgumentCheck.ofGpu(parts.setup, parts.proxy.device()),
                waitedNs -> Math.clamp(waitedNs / 8, LEAST_WATCH_NS, MOST_WATCH_NS));
        this.launcher = launcher;
        this.waiter = waiter;
        int nRanks = parts.setup.nRanks();
        int rings = parts.rings.length;
        int trees = rings + OneShot.channels(parts.setup);
        int treeEntries = launcher.firstFree() + OneShot.entries(parts.setup);
        this.oneShot = new OneShot(parts.setup, planner, ops, launcher, rings, launcher.firstFree());
        this.trees = new GpuTrees(parts, planner, ops, launcher, trees, treeEntries);
        this.byNodes = !Hierarchical.isFor(parts.setup.nodes()) ? null : new GpuHierarchical(parts, planner, ops,
                launcher, trees + GpuTrees.channels(rings), treeEntries + GpuTrees.entries(nRanks, rings));
        parts.failure.alsoEnd(launcher::abort);
    }

    /** Blocks until all ranks do so. What it takes of the GPU is given back if it fails. */
    static GpuLaunches of(RankRuntime runtime, Lanes lanes, FirstFailure failure) {
        ProxyState proxy = runtime.proxy();
        DevicePrograms programs = GpuLauncher.compile(proxy);
        try {
            CommunicatorParts parts = new CommunicatorParts(runtime, lanes, failure, JobTuning.NONE, true);
            LaunchPlanner planner = LaunchPlanner.ofGpu(parts);
            if (planner.usesTrees()) {
                parts.config.get(CollectivesOptions.GPU_COMPILE_AHEAD).forEach(programs::compileTreeAhead);
            }
            LaunchOps ops = new LaunchOps(parts.setup.rank(), parts.poster, planner);
            GpuLauncher launcher = new GpuLauncher(parts, programs, planner, ops, entries(parts));
            return of(parts, planner, ops, launcher);
        } catch (RuntimeException | Error e) {
            giveBack(programs, e);
            throw e;
        }
    }

    private static GpuLaunches of(CommunicatorParts parts, LaunchPlanner planner, LaunchOps ops,
            GpuLauncher launcher) {
        try {
            return new GpuLaunches(parts, planner, ops, launcher,
                    new GpuWaiter(parts, launcher, WaitStyle.ofGpu(parts.config, parts.proxy::threading)));
        } catch (RuntimeException | Error e) {
            launcher.close();
            throw e;
        }
    }

    private static void giveBack(DevicePrograms programs, Throwable cause) {
        try {
            programs.queue().close();
            programs.close();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /** Of ways that are no rings. */
    private static int entries(CommunicatorParts parts) {
        int nRanks = parts.setup.nRanks();
        return OneShot.entries(parts.setup) + GpuTrees.entries(nRanks, parts.rings.length)
                + GpuHierarchical.entries(parts.rings.length);
    }

    /** Null if that is the rings. */
    private GpuWay way(CollectiveWork work) {
        return switch (planner.algorithm(work.function(), work.bytes())) {
            case ONESHOT -> oneShot;
            case TREE -> trees;
            case HIERARCHICAL -> byNodes;
            default -> null;
        };
    }

    @Override
    Algorithm algorithm(CollectiveWork work, boolean isAlone) {
        return planner.algorithm(work.function(), work.bytes());
    }

    /** What becomes part of a graph runs when its user says so, and as often. */
    @Override
    boolean isRecorded() {
        return !isCapturing && super.isRecorded();
    }

    @Override
    void carryOut(CollectiveWork work) {
        for (GpuWay way = way(work); way != null && !way.isConnected(work); way = way(work)) {
            connect(way, work);
        }
        load(way(work), work);
        super.carryOut(work);
    }

    private void connect(GpuWay way, CollectiveWork work) {
        parts.await();
        orAbort("it could not connect", () -> {
            way.connect(work, timeout);
            agreement.barrier(timeout);
        });
    }

    /** The ranks of a process may share a device, which loads nothing while one's kernel waits for another's. */
    private void load(GpuWay way, CollectiveWork work) {
        if (way == null ? !launcher.isLoaded(work) : !way.isLoaded(work)) {
            parts.await();
            orAbort("it could not load a kernel", () -> {
                if (way == null) {
                    launcher.load(work);
                } else {
                    way.load(work);
                }
                agreement.barrier(timeout);
            });
        }
    }

    @Override
    void cutAndLaunch(CollectiveWork work) {
        GpuWay way = way(work);
        if (way == null) {
            super.cutAndLaunch(work);
            return;
        }
        for (int phase = 0; phase < way.phases(); phase++) {
            if (phase > 0) {
                awaitRoom();
            }
            if (way.launch(work, phase)) {
                launched();
            }
        }
    }

    /** A kernel for each collective, and one for all messages, as far as there is room. */
    @Override
    void carryOut(CallGroup wanted) {
        for (int i = 0; i < wanted.works(); i++) {
            carryOut(wanted.work(i));
        }
        int own = 0;
        for (; own < wanted.messages() && wanted.message(own).peer == parts.setup.rank(); own += 2) {
            copy(wanted.message(own), wanted.message(own + 1).part);
        }
        if (own < wanted.messages()) {
            exchange(wanted, own);
        }
    }

    /** A message of this rank to itself. */
    private void copy(Message message, MessagePart to) {
        if (message.isMoved && message.part.bytes() > 0) {
            awaitRoom();
            launcher.copy(message.part, to.buffer(), to.offset());
            launched();
        }
    }

    /** Ops end when kernels move data: so what is added is launched before the poster waits for room. */
    private void exchange(CallGroup wanted, int first) {
        beginMessages();
        for (int i = first; i < wanted.messages(); i++) {
            Message message = wanted.message(i);
            if (!message.isMoved) {
                continue;
            }
            if (!launcher.hasRoom(message) || ops.room() < launcher.most(message)) {
                launchMessages();
                beginMessages();
            }
            launcher.add(message);
        }
        launchMessages();
    }

    private void beginMessages() {
        awaitRoom();
        launcher.beginMessages();
    }

    private void launchMessages() {
        ops.post();
        if (launcher.launchMessages()) {
            launched();
        }
    }

    @Override
    void launchOn(DeviceStream stream) {
        if (stream.isCapturing()) {
            capture(stream);
            return;
        }
        launcher.follow(stream);
        launch();
        launcher.precede(stream);
    }

    /** What was asked for becomes part of a graph. The stream is as it was if that is refused. */
    private void capture(DeviceStream stream) {
        String whyNot = whyNoGraphs(parts.proxy);
        if (!whyNot.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, parts.setup.group().self() + ": a stream that is being"
                    + " captured takes no collectives: " + whyNot);
        }
        launcher.beginCapture(stream);
        isCapturing = true;
        try {
            launch();
            launcher.finishCapture();
        } finally {
            isCapturing = false;
            launcher.endCapture();
        }
    }

    private static String whyNoGraphs(ProxyState proxy) {
        if (proxy.isInvoker()) {
            return "in INVOKER mode no thread would carry out what graphs ask of the proxy";
        }
        return proxy.device().capabilities().contains(DeviceCapability.GRAPHS) ? ""
                : proxy.device().name() + " has no " + DeviceCapability.GRAPHS;
    }

    /** Launches of graphs are not counted: the user's stream tells when they are done. */
    @Override
    void launched() {
        if (!isCapturing) {
            super.launched();
        }
    }

    @Override
    void outgrown(DeviceMemory room) {
        if (launcher.hasCaptured()) {
            outgrown.add(room);
        } else {
            room.close();
        }
    }

    @Override
    CompletableFuture<Void> completion() {
        long last = launcher.launched();
        return completions.add(() -> launcher.isDone(last));
    }

    @Override
    void onDone(Consumer<Boolean> listener) {
        completion().whenComplete((_, failure) -> listener.accept(failure != null));
    }

    @Override
    void copy(CopiedInputs inputs, MemorySegment to) {
        inputs.redirect(to, (from, room, offset) -> {
            awaitRoom();
            launcher.copy(from, room, offset);
            launched();
        });
    }

    /** They are connected from the start. */
    @Override
    void ringsConnected() {
        throw new IllegalStateException("the rings of a GPU's kernels come first");
    }

    @Override
    long outstandingKernels() {
        return launcher.outstanding();
    }

    /** Kernels end when it is closed. */
    @Override
    void leave(long deadlineNs, List<String> abandoned) {
    }

    @Override
    void close(long deadlineNs, List<String> abandoned) {
        waiter.drain(deadlineNs);
        launcher.close();
        freeInputs();
        outgrown.forEach(DeviceMemory::close);
        String kernels = launcher.abandoned();
        if (!kernels.isEmpty()) {
            abandoned.add(kernels);
        }
        super.close(deadlineNs, abandoned);
    }
}
