/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.counters.ActiveOp;
import io.proxyrt.core.counters.RuntimeHealth;
import io.proxyrt.core.counters.RuntimeHealth.State;
import io.proxyrt.core.diagnosis.RankObservation.KernelWait;
import io.proxyrt.core.diagnosis.RankObservation.Process;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Looks whether runtimes do their work. It needs no help of their threads. */
public final class HealthLook {
    /** A progress thread says at least twice a second that it is at work; one without a CPU for a while may be late. */
    private static final Duration SILENT = Duration.ofSeconds(5);

    private HealthLook() {
    }

    /**
     * Looks at a runtime. Does not block.
     *
     * @param entry which
     * @param still how long an op or a kernel may not move; zero for as long as it likes
     * @return what is seen of it
     */
    public static RuntimeHealth at(RuntimeDirectory.Entry entry, Duration still) {
        return Uninterruptibly.call(() -> look(entry, still));
    }

    private static RuntimeHealth look(RuntimeDirectory.Entry entry, Duration still) {
        try {
            RuntimeLook look = RuntimeLook.at(entry, ProcessLook.at(entry));
            return of(look.since(look), still);
        } catch (ProxyException e) {
            return new RuntimeHealth(entry.rank(), entry.pid(), entry.isAlive() ? State.UNREADABLE : State.DEAD,
                    e.getMessage());
        }
    }

    /**
     * Looks at a runtime of this process. Does not block.
     *
     * @param rank   of the runtime
     * @param folder of its files
     * @param still  as of {@link #at(RuntimeDirectory.Entry, Duration)}
     * @return what is seen of it
     */
    public static RuntimeHealth at(int rank, Path folder, Duration still) {
        try {
            return RuntimeDirectory.find(folder).map(entry -> at(entry, still))
                    .orElseGet(() -> unreadable(rank, folder + " is gone"));
        } catch (ProxyException e) {
            return unreadable(rank, e.getMessage());
        }
    }

    private static RuntimeHealth unreadable(int rank, String why) {
        return new RuntimeHealth(rank, ProcessHandle.current().pid(), State.UNREADABLE, why);
    }

    static RuntimeHealth of(RankObservation rank, Duration still) {
        if (rank.process() != Process.RUNNING) {
            boolean isDead = rank.process() == Process.DEAD;
            return of(rank, isDead ? State.DEAD : State.STOPPED, isDead ? "its process is gone"
                    : "its process is stopped, by a signal or a debugger");
        }
        if (!rank.failure().isEmpty()) {
            return of(rank, State.FAILED, rank.failure());
        }
        if (rank.hasThreads() && rank.heartbeatAge().filter(age -> age.compareTo(SILENT) < 0).isEmpty()) {
            return of(rank, State.SILENT, "its progress thread has not been at work "
                    + rank.heartbeatAge().map(age -> "for " + Phrases.seconds(age)).orElse("yet"));
        }
        return Stream.concat(rank.ops().stream().map(ActiveOp::still), rank.kernels().stream().map(KernelWait::still))
                .filter(age -> !still.isZero() && age.compareTo(still) > 0).max(Duration::compareTo)
                .map(age -> of(rank, State.STILL, "something has not moved for " + Phrases.seconds(age)))
                .orElseGet(() -> of(rank, State.HEALTHY, ""));
    }

    private static RuntimeHealth of(RankObservation rank, State state, String why) {
        return new RuntimeHealth(rank.rank(), rank.pid(), state, why);
    }
}
