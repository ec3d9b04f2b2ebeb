/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.jfr.Jfr;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * What a communicator's user asks for, once it was checked: ops to the proxy, a kernel to the stream. There are two
 * such paths, of kernels of the host and of a GPU; each owns its launcher, its planner, its check of arguments and its
 * way to wait, and is chosen once, when the communicator is made.
 */
abstract sealed class Launches permits HostLaunches, GpuLaunches {
    private static final long FINISH_NS = 50_000;

    final CommunicatorParts parts;
    final LaunchPlanner planner;
    final LaunchOps ops;
    final Agreement agreement;
    final Duration timeout;
    private final KernelLauncher launcher;
    private final StreamWaiter waiter;
    private final ArgumentCheck check;
    private final CallGroup group;
    private final Calls calls;
    private final CallRecording recording;
    final Completions completions;
    /** Of a channel's part of the work that was cut last. */
    private long channelBytes;
    /** For copies of inputs; null until the first. */
    private DeviceMemory inputRoom;

    Launches(CommunicatorParts parts, LaunchPlanner planner, LaunchOps ops, KernelLauncher launcher,
            StreamWaiter waiter, ArgumentCheck check, Completions.Pace pace) {
        this.parts = parts;
        this.planner = planner;
        this.ops = ops;
        this.agreement = parts.failure.agreement();
        agreement.leave(parts.proxy.counters().blackBox().caller(parts.setup.group().self()));
        this.timeout = parts.timeout;
        this.launcher = launcher;
        this.waiter = waiter;
        this.check = check;
        this.group = new CallGroup(parts.setup.rank(), parts.setup.nRanks());
        this.calls = new Calls(parts, planner, check, group);
        this.completions = new Completions(parts, pace);
        this.recording = new CallRecording(parts, planner);
        parts.waiter(waiter);
    }

    /**
     * Takes the path of the runtime's device, and the tuning of the job, if ranks of a job form a group. Blocks until
     * all ranks do so; closes the runtime if that fails.
     */
    static Launches of(RankRuntime runtime, Lanes lanes, JobTuning ofJob) {
        try {
            return make(runtime, lanes, ofJob);
        } catch (ProxyException e) {
            ProxyException verdict = runtime.fail(e);
            runtime.close(Duration.ZERO);
            throw verdict;
        } catch (RuntimeException | Error e) {
            runtime.fail(e);
            runtime.close(Duration.ZERO);
            throw e;
        }
    }

    private static Launches make(RankRuntime runtime, Lanes lanes, JobTuning ofJob) {
        FirstFailure failure = new FirstFailure(runtime.proxy(), runtime.group());
        boolean isOnGpu = runtime.proxy().device().capabilities().contains(DeviceCapability.MODULES);
        Launches launches = isOnGpu ? GpuLaunches.of(runtime, lanes, failure)
                : HostLaunches.of(runtime, lanes, failure, ofJob);
        SetUpLog.ready(launches.parts, launches.planner);
        launches.recording.chosen();
        return launches;
    }

    /** What the next launch is made of; to be filled by {@link #calls}. */
    Calls calls() {
        return calls;
    }

    /** Looks at what is said of ranks, for what is no launch. */
    ArgumentCheck check() {
        return check;
    }

    /** Ends a call, of which nothing is kept that was not launched. */
    void endCall(SingleUser user) {
        group.clear();
        user.exit();
    }

    /** Launches what was asked for. */
    void launch() {
        group.complete();
        agreement.note(group);
        if (isRecorded()) {
            launchRecorded(recording.begin(group, agreement.called()));
        } else {
            launchNoted();
        }
    }

    /** Whether Flight Recorder hears of what is launched. */
    boolean isRecorded() {
        return Jfr.recordsCollectives();
    }

    /** Flight Recorder hears when it is done. */
    private void launchRecorded(RecordedCalls calls) {
        boolean isLaunched = false;
        try {
            launchNoted();
            boolean isAlone = isAlone(group);
            calls.wentBy(work -> algorithm(work, isAlone));
            if (group.isEmpty()) {
                calls.end(false);
            } else {
                handOver(calls);
            }
            isLaunched = true;
        } finally {
            if (!isLaunched) {
                calls.end(true);
            }
        }
    }

    private void handOver(RecordedCalls calls) {
        try {
            onDone(calls::end);
        } catch (RuntimeException | Error e) {
            throw broken(e);
        }
    }

    /** By which one went that was launched last: alone, or with others of a group. */
    abstract Algorithm algorithm(CollectiveWork work, boolean isAlone);

    private void launchNoted() {
        if (group.isEmpty()) {
            return;
        }
        if (group.works() > 0) {
            requireRings();
        }
        connect();
        try {
            launch(group);
        } catch (RuntimeException | Error e) {
            throw broken(e);
        }
    }

    /** Connects the rings, unless that is done. Blocks until all ranks do so: at their first collective. */
    private void requireRings() {
        if (parts.awaitsRings()) {
            parts.failure.check();
            orAbort("it could not connect", () -> {
                parts.connectRings();
                ringsConnected();
            });
            SetUpLog.connected(parts, planner);
            recording.chosen();
        }
    }

    /** They are, later than the rest. */
    abstract void ringsConnected();

    private void launch(CallGroup wanted) {
        if (isAlone(wanted)) {
            carryOut(wanted.work(0));
        } else {
            copyInputs(wanted.copied());
            carryOut(wanted);
        }
    }

    private static boolean isAlone(CallGroup wanted) {
        return wanted.messages() == 0 && wanted.works() == 1;
    }

    /** What is to be told whether all that was launched so far was dropped, once it is done; on any thread. */
    abstract void onDone(Consumer<Boolean> listener);

    /** Collectives choose from something else from here on. */
    void allow(Allowed<Algorithm> others) {
        planner.allow(others);
        recording.chosen();
    }

    /** A future of all that was launched so far. */
    abstract CompletableFuture<Void> completion();

    /** Launches what was asked for, behind what is on a stream, and before what comes there. */
    abstract void launchOn(DeviceStream stream);

    /** Launches a group that is more than one collective. */
    abstract void carryOut(CallGroup wanted);

    /** Launches copies of inputs that outputs overwrite. */
    private void copyInputs(CopiedInputs inputs) {
        if (inputs.bytes() > 0) {
            if (inputRoom == null || inputRoom.bytes() < inputs.bytes()) {
                parts.await();
                if (inputRoom != null) {
                    outgrown(inputRoom);
                }
                inputRoom = parts.proxy.device().allocate(inputs.bytes());
            }
            copy(inputs, inputRoom.range());
        }
    }

    /** A room for inputs that no launch uses any more. */
    void outgrown(DeviceMemory room) {
        room.close();
    }

    /** Launches copies into a buffer, from which messages are sent then. */
    abstract void copy(CopiedInputs inputs, MemorySegment to);

    /** Launches one collective by itself. */
    void carryOut(CollectiveWork wanted) {
        awaitRoom();
        CollectiveWork work = launcher.work();
        wanted.copyTo(work);
        cutAndLaunch(work);
    }

    /** Waits until one more launch can be given to the stream. */
    final void awaitRoom() {
        waiter.awaitKernel(launcher.capacity(), timeout);
    }

    void cutAndLaunch(CollectiveWork work) {
        int channels = cut(work);
        for (int c = 0; c < channels; c++) {
            prepare(c, work, launcher.prepare(c, offset(c), length(c, work)));
        }
        ops.post();
        launcher.launchCollective();
        launched();
    }

    /** Plans work, and cuts it for channels. Returns for how many. */
    final int cut(CollectiveWork work) {
        planner.plan(work);
        work.opCount(ops.nextCollective());
        int channels = launcher.channels(work);
        channelBytes = RingGeometry.share(work.bytes(), channels);
        assert channels > 0 && channels * channelBytes >= work.bytes() : channelBytes;
        return channels;
    }

    /** Where a channel's part begins in the work that was cut last. */
    final long offset(int channel) {
        return channel * channelBytes;
    }

    /** The bytes of a channel's part; 0 if nothing is left for it. */
    final long length(int channel, CollectiveWork work) {
        return Math.clamp(work.bytes() - offset(channel), 0, channelBytes);
    }

    /** Tells the proxy of a channel's part of the work that was cut last. */
    final void prepare(int channel, CollectiveWork work, RingGeometry geometry) {
        if (length(channel, work) > 0 && parts.rings.length > 0) {
            ops.ring(parts.rings[channel], geometry, work);
        }
    }

    /** What was appended and launched is on its way. */
    void launched() {
        waiter.launched();
    }

    /** What was launched ends first: whom this rank now waits for may still wait for it. */
    private void connect() {
        boolean isConnected = true;
        for (int i = 0; isConnected && i < group.messages(); i++) {
            isConnected = isReady(group.message(i));
        }
        if (!isConnected) {
            int[] missing = IntStream.range(0, group.messages()).mapToObj(group::message)
                    .filter(message -> !isReady(message)).mapToInt(message -> message.peer).distinct().toArray();
            parts.await();
            orAbort("it could not connect", () -> launcher.connect(timeout, missing));
            parts.memory.connected(missing);
        }
    }

    private boolean isReady(Message message) {
        return message.peer == parts.setup.rank() || !message.isMoved || launcher.isConnected(message.peer);
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

    /** Kernels that were launched and are not retired. */
    abstract long outstandingKernels();

    /** Waits until all that was launched is done, in vain once anything has failed. */
    void finish(long deadlineNs) {
        while (outstandingKernels() + parts.poster.outstanding() > 0 && !parts.failure.isKnown()
                && System.nanoTime() - deadlineNs < 0) {
            if (waiter.drive() == 0) {
                Uninterruptibly.parkNanos(FINISH_NS);
            }
        }
    }

    /** Gives back of the runtime what ends with it otherwise, and says what was not finished. Bounded. */
    abstract void leave(long deadlineNs, List<String> abandoned);

    /** No kernel uses it any more. */
    final void freeInputs() {
        if (inputRoom != null) {
            inputRoom.close();
        }
    }

    /** Ends what the runtime's closing does not, once nothing is launched any more, and says what was not finished. */
    void close(long deadlineNs, List<String> abandoned) {
        completions.close();
        parts.poster.close();
    }
}
