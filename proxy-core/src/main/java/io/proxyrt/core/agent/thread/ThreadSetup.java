/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.IdleStrategyKind;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.ThreadName;
import java.util.BitSet;

/**
 * What the threads of one runtime ask of the operating system: each {@linkplain #apply applies} it to itself before its
 * agent's first pass. What the configuration asks for is had or refused; names, timer slack and time slices are a
 * courtesy. Immutable; any thread.
 */
public final class ThreadSetup {
    private static final long TIMER_SLACK_NS = 1_000;
    /** The shortest that Linux gives. */
    private static final long TIME_SLICE_NS = 100_000;

    private final Platform platform;
    private final int rank;
    private final BitSet cpus;
    private final int realtimePriority;
    /** Whether the progress thread sleeps often, is to be awake on time, and has no priority for that. */
    private final boolean isSleeper;

    /** What a thread is there for. */
    public enum Duty {
        /** Moves data: all of the set-up is for it. */
        PROGRESS,
        /** Controls: everything but priority and slack, and short turns, since it answers in microseconds. */
        CONTROL,
        /** Plays a GPU, which needs no more than a name. */
        STREAM
    }

    private ThreadSetup(Platform platform, int rank, BitSet cpus, int realtimePriority, boolean isSleeper) {
        this.platform = platform;
        this.rank = rank;
        this.cpus = cpus;
        this.realtimePriority = realtimePriority;
        this.isSleeper = isSleeper;
    }

    /**
     * Reads and checks what is asked for.
     *
     * @param platform should it do
     * @param config   {@link CoreOptions#CPUSET}, {@link CoreOptions#IGNORE_CPU_AFFINITY},
     *                 {@link CoreOptions#REALTIME_PRIORITY} and {@link CoreOptions#IDLE_STRATEGY}
     * @param rank     for messages
     * @return for all threads of the runtime
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the CPU list is malformed or has none of this
     *                        process's CPUs, {@link ProxyResult#INVALID_USAGE} if the platform does not work here
     */
    public static ThreadSetup of(Platform platform, ProxyConfig config, int rank) {
        BitSet cpus = cpus(config, rank);
        int priority = config.get(CoreOptions.REALTIME_PRIORITY);
        if (!cpus.isEmpty()) {
            require(platform, config, CoreOptions.CPUSET, rank);
            limit(cpus, platform, config, rank);
        }
        if (priority > 0) {
            require(platform, config, CoreOptions.REALTIME_PRIORITY, rank);
        }
        boolean isLearning = config.get(CoreOptions.IDLE_STRATEGY) == IdleStrategyKind.LEARN;
        return new ThreadSetup(platform, rank, cpus, priority, isLearning && priority == 0);
    }

    /** To the process's CPUs, unless those do not matter: then the system limits them when a thread is bound. */
    private static void limit(BitSet cpus, Platform platform, ProxyConfig config, int rank) {
        BitSet allowed = platform.processCpus();
        String asked = CpuList.format(cpus);
        if (!config.get(CoreOptions.IGNORE_CPU_AFFINITY)) {
            cpus.and(allowed);
        }
        if (cpus.isEmpty()) {
            throw refusal(config, CoreOptions.CPUSET, rank, "none of the CPUs " + asked
                    + " is among those that this process may use: " + CpuList.format(allowed) + "; "
                    + CoreOptions.IGNORE_CPU_AFFINITY + " takes others too");
        }
    }

    /**
     * Whether {@link #apply} can fail, so that the caller that starts a thread has to wait for it.
     *
     * @return false if nothing is asked for
     */
    public boolean isDemanding() {
        return !cpus.isEmpty() || realtimePriority > 0;
    }

    /**
     * Sets the calling thread up.
     *
     * @param name its agent's
     * @param duty its agent's
     * @return what came of it, for people
     * @throws ProxyException if what is asked for cannot be had
     */
    public String apply(String name, Duty duty) {
        if (!platform.whyNot().isEmpty()) {
            return name + ": as the JVM makes threads, because " + platform.whyNot();
        }
        String osName = ThreadName.ofSystem(name);
        StringBuilder report = new StringBuilder(name).append(": ")
                .append(courtesy("named " + osName, () -> platform.nameThread(osName)));
        if (duty != Duty.STREAM && !cpus.isEmpty()) {
            demand(name, CoreOptions.CPUSET, () -> platform.bindThread(cpus));
        }
        if (duty == Duty.PROGRESS && realtimePriority > 0) {
            demand(name, CoreOptions.REALTIME_PRIORITY, () -> platform.realtimePriority(realtimePriority));
            report.append(", SCHED_FIFO ").append(realtimePriority);
        }
        if (duty == Duty.PROGRESS) {
            report.append(", ").append(courtesy("timer slack " + TIMER_SLACK_NS + " ns",
                    () -> platform.timerSlack(TIMER_SLACK_NS)));
        }
        if (duty == Duty.CONTROL || duty == Duty.PROGRESS && isSleeper) {
            report.append(", ").append(courtesy("time slice " + TIME_SLICE_NS + " ns",
                    () -> platform.timeSlice(TIME_SLICE_NS)));
        }
        return report.append(", CPUs ").append(effectiveCpus()).toString();
    }

    /**
     * What a thread does between passes in which nothing moved. Threads that control look for a while after work, then
     * sleep.
     *
     * @param config {@link CoreOptions#IDLE_STRATEGY} and its thresholds; {@link CoreOptions#CONTROL_LINGER}
     * @param duty   its agent's
     * @return for one thread
     */
    public static IdleStrategy idle(ProxyConfig config, Duty duty) {
        if (duty == Duty.CONTROL) {
            return new LingerIdle(config, System::nanoTime);
        }
        BackoffIdle backoff = new BackoffIdle(config);
        return switch (config.get(CoreOptions.IDLE_STRATEGY)) {
            case BACKOFF -> backoff;
            case LEARN -> new LearningIdle(backoff, System::nanoTime);
        };
    }

    private String effectiveCpus() {
        try {
            return CpuList.format(platform.threadCpus());
        } catch (ProxyException e) {
            return "unknown: " + e.getMessage();
        }
    }

    private static String courtesy(String what, Runnable call) {
        try {
            call.run();
            return what;
        } catch (ProxyException e) {
            return "not " + what + ": " + e.getMessage();
        }
    }

    private void demand(String name, Option<?> option, Runnable call) {
        try {
            call.run();
        } catch (ProxyException e) {
            throw new ProxyException(e.result(), "rank " + rank + ": " + name + ", " + option + ": " + e.getMessage(),
                    e);
        }
    }

    private static BitSet cpus(ProxyConfig config, int rank) {
        try {
            return CpuList.parse(config.get(CoreOptions.CPUSET));
        } catch (IllegalArgumentException e) {
            throw refusal(config, CoreOptions.CPUSET, rank, e.getMessage());
        }
    }

    private static void require(Platform platform, ProxyConfig config, Option<?> option, int rank) {
        if (!platform.whyNot().isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, asked(config, option, rank)
                    + " cannot be had: " + platform.whyNot());
        }
    }

    private static ProxyException refusal(ProxyConfig config, Option<?> option, int rank, String why) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, asked(config, option, rank) + ": " + why);
    }

    private static String asked(ProxyConfig config, Option<?> option, int rank) {
        ProxyConfig.Setting setting = config.settings().stream().filter(s -> s.option() == option).findFirst()
                .orElseThrow();
        return "rank " + rank + ": " + option + " (from " + setting.source() + ") is '" + setting.value() + "'";
    }
}
