/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.agent.OversubscribedIdle;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.agent.thread.AgentRunner;
import io.proxyrt.core.agent.thread.CompositeAgent;
import io.proxyrt.core.agent.thread.CpuLatency;
import io.proxyrt.core.agent.thread.ThreadSetup;
import io.proxyrt.core.agent.thread.ThreadSetup.Duty;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.HostStreams;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.progress.ProgressAgent;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.service.LiveTransports;
import io.proxyrt.core.service.ServiceAgent;
import io.proxyrt.core.service.UdsAgent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Runs the agents of a runtime in its threading mode: on threads, or on the caller's. */
final class AgentThreads {
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(2);
    private static final long POLL_NS = 100_000;
    /** What part of a timeout is kept for ending the threads, and how much of it at most. */
    private static final int RESERVED_PART = 5;
    private static final long LONGEST_RESERVE_NS = 500_000_000;

    private final ProxyConfig config;
    private final ThreadSetup setup;
    /** Null if none is asked for. */
    private final CpuLatency cpuLatency;
    private final ThreadingMode mode;
    private final HostWatch host;
    private final ProgressAgent progress;
    private final ServiceAgent service;
    /** Null if there is none. */
    private final UdsAgent uds;
    private final LiveTransports transports;
    private final BiConsumer<Agent, Throwable> onBug;
    private final List<AgentRunner> runners = new ArrayList<>();
    /** One of {@link #runners}; null if the caller drives it. */
    private AgentRunner serviceRunner;
    /** Null before the first stream, and if the caller drives them. */
    private volatile AgentRunner streamRunner;
    private final HostStreams streams;
    private final AtomicBoolean isInvoked = new AtomicBoolean();
    private final AtomicReference<ProxyException> aborted = new AtomicReference<>();
    private volatile boolean isStopped;

    AgentThreads(ProxyAssembly parts, BiConsumer<Agent, Throwable> onBug) {
        this.config = parts.config;
        this.setup = parts.threadSetup;
        this.cpuLatency = parts.cpuLatency;
        this.mode = config.get(CoreOptions.THREADING);
        this.host = parts.host;
        this.progress = parts.progress;
        this.service = parts.service;
        this.uds = parts.uds;
        this.transports = parts.liveTransports;
        this.onBug = onBug;
        this.streams = new HostStreams(progress.name().replace("progress", "stream"));
        progress.watch(streams);
        makeRunners();
    }

    /** Throws what a thread is refused that was asked for; then {@link #stop} ends the others. */
    void start() {
        runners.forEach(AgentRunner::start);
        if (setup.isDemanding()) {
            runners.forEach(AgentRunner::awaitSetUp);
        }
    }

    List<String> describe() {
        Stream<String> threads = isInvoker()
                ? Stream.of("no threads: the caller drives the agents, on threads that it sets up itself")
                : Stream.concat(runners.stream(), Stream.ofNullable(streamRunner)).map(AgentRunner::awaitSetUp);
        return Stream.concat(threads, Stream.ofNullable(cpuLatency).map(CpuLatency::toString)).toList();
    }

    boolean isInvoker() {
        return mode == ThreadingMode.INVOKER;
    }

    /** Whether one thread runs all agents, and sleeps where the service does. */
    boolean isShared() {
        return mode == ThreadingMode.SHARED;
    }

    /** The first one brings the thread that runs all of them. */
    synchronized HostStream stream(String name, Consumer<ProxyException> onFailure) {
        HostStream stream = new HostStream(name);
        stream.onFailure(onFailure);
        streams.add(stream);
        if (streamRunner != null) {
            streamRunner.wakeup();
        } else if (!isInvoker()) {
            streamRunner = runner(streams, Duty.STREAM);
            streamRunner.start();
        }
        return stream;
    }

    HostStreams streams() {
        return streams;
    }

    /** What runs on streams, a line each. */
    Stream<String> kernels() {
        return streams.stream().map(HostStream::describe).filter(line -> !line.isEmpty());
    }

    /** Ends the streams, and soon the waits for a peer. The first cause stays. */
    void abort(ProxyException cause) {
        aborted.compareAndSet(null, cause);
        abortStreams();
    }

    /** Why the runtime was aborted; null if it was not. */
    ProxyException aborted() {
        return aborted.get();
    }

    private void abortStreams() {
        streams.abort();
    }

    int invoke(boolean withService) {
        if (!isInvoker() || isStopped || !isInvoked.compareAndSet(false, true)) {
            return 0;
        }
        try {
            return progress.doWork() + (withService ? control() : 0);
        } finally {
            isInvoked.setRelease(false);
        }
    }

    /** In a transport that has something to wait for, if there is one and no other thread drives the agents. */
    void park(long maxNs) {
        if (!isInvoker() || isStopped || !isInvoked.compareAndSet(false, true)) {
            LockSupport.parkNanos(maxNs);
            return;
        }
        ProxyTransport transport;
        try {
            transport = transports.waitable(progress.oldest());
            if (transport != null) {
                transport.park(maxNs);
            }
        } finally {
            isInvoked.setRelease(false);
        }
        if (transport == null) {
            LockSupport.parkNanos(maxNs);
        }
    }

    void wakeupService() {
        if (!isInvoker()) {
            serviceRunner.wakeup();
        }
    }

    /**
     * Waits until no posted op and no launched kernel is left, or the time is up but for what ending the threads takes.
     * What was aborted is not worth waiting for, nor are ops that nothing moves any more after a failure.
     */
    void drain(Duration timeout, OpsPool pool, Stall stall) {
        long timeoutNs = Timeouts.nanos(timeout);
        long deadline = System.nanoTime() + timeoutNs - Math.min(timeoutNs / RESERVED_PART, LONGEST_RESERVE_NS);
        while (isBusy(pool) && aborted.get() == null && System.nanoTime() - deadline < 0) {
            if (!streams.isAnyLaunched() && stall.isLong(System.nanoTime())) {
                return;
            }
            if (invoke(true) + (isInvoker() ? streams.drive() : 0) == 0) {
                Uninterruptibly.parkNanos(POLL_NS);
            }
        }
    }

    /** Between two ranks of a host kernels may do all the work: then no op tells of it. */
    private boolean isBusy(OpsPool pool) {
        return pool.outstanding() > 0 || streams.isAnyLaunched();
    }

    /** What kernels were dropped: complete once the threads have ended. */
    List<String> abandonedKernels() {
        return streams.abandoned();
    }

    /**
     * Ends all threads, by the end of the timeout or within a moment. Returns a line for each that did not end: what
     * they use may be freed if there is none.
     */
    List<String> stop(long startNs, Duration timeout) {
        long deadline = startNs + Math.max(Timeouts.nanos(timeout), JOIN_TIMEOUT.toNanos());
        isStopped = true;
        abortStreams();
        List<AgentRunner> all = new ArrayList<>(runners);
        if (streamRunner != null) {
            all.addFirst(streamRunner);
        }
        all.forEach(runner -> runner.stop(() -> true));
        List<String> left = new ArrayList<>();
        for (AgentRunner runner : all) {
            if (!runner.isCurrentThread() && !runner.join(Timeouts.until(deadline))) {
                left.add(runner + " did not end in time; its memory stays");
            }
        }
        return isInvoker() ? endInvoked(deadline) : left;
    }

    /** The last passes, once no other thread drives. */
    private List<String> endInvoked(long deadline) {
        while (!isInvoked.compareAndSet(false, true)) {
            if (System.nanoTime() - deadline >= 0) {
                return List.of("the thread that drives the runtime did not return in time; its memory stays");
            }
            Uninterruptibly.parkNanos(POLL_NS);
        }
        progress.doWork();
        streams.onClose();
        closeUds();
        service.onClose();
        progress.onClose();
        return List.of();
    }

    /** The service comes last among those that share a thread: it has the selector to sleep in. */
    private void makeRunners() {
        List<Agent> control = uds == null ? List.of(service) : List.of(uds, service);
        switch (mode) {
            case INVOKER -> { }
            case AUTO -> throw new IllegalStateException("the threading mode is not settled");
            case SHARED -> {
                List<Agent> all = new ArrayList<>(control);
                all.addFirst(progress);
                serviceRunner = add(new CompositeAgent(progress.name().replace("progress", "shared"), all),
                        Duty.PROGRESS);
            }
            case SHARED_CONTROL -> {
                add(progress, Duty.PROGRESS);
                serviceRunner = add(new CompositeAgent(service.name().replace("service", "control"), control),
                        Duty.CONTROL);
            }
            case DEDICATED -> {
                add(progress, Duty.PROGRESS);
                serviceRunner = add(service, Duty.CONTROL);
                if (uds != null) {
                    add(uds, Duty.CONTROL);
                }
            }
        }
    }

    private AgentRunner add(Agent agent, Duty duty) {
        AgentRunner runner = runner(agent, duty);
        runners.add(runner);
        return runner;
    }

    private int control() {
        return service.doWork() + (uds == null ? 0 : uds.doWork());
    }

    private void closeUds() {
        if (uds != null) {
            uds.onClose();
        }
    }

    private AgentRunner runner(Agent agent, Duty duty) {
        return new AgentRunner(agent, setup, duty, idle(duty), bug -> onBug.accept(agent, bug));
    }

    /** Threads that control sleep soon anyway. */
    private IdleStrategy idle(Duty duty) {
        IdleStrategy usual = ThreadSetup.idle(config, duty);
        return duty == Duty.CONTROL || !host.choice().isAuto() ? usual
                : new OversubscribedIdle(() -> host.choice().isOversubscribed(), usual, config);
    }
}
