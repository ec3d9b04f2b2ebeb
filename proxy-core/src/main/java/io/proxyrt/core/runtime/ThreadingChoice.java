/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ThreadingMode;

/**
 * The threading mode of a runtime, why, and whether there are CPUs for its threads. {@link ThreadingMode#AUTO} is
 * settled here: threads of their own where those that may be busy leave half of the CPUs free, the caller's else. One
 * thread too many stops a rank for a time slice, and with it all ranks, so there is no mode in between.
 *
 * @param mode    never AUTO
 * @param threads of each runtime that wait for others at once
 * @param load    who shares the host: what AUTO is settled by
 * @param reason  for people, to stand behind the mode and {@code because}; empty if the mode was asked for
 */
public record ThreadingChoice(ThreadingMode mode, int threads, HostLoad load, String reason) {
    /** Threads that a rank with kernels of the host may keep busy in DEDICATED mode: its caller, stream, progress. */
    static final int HOST_THREADS = 3;
    /** The same for a rank whose kernels run on a GPU: its caller and progress. */
    static final int GPU_THREADS = 2;
    /**
     * CPUs for each such thread. With one for each, 12 threads of 4 ranks on 16 CPUs, the scheduler still put two on
     * one and took its time to part them: an all-reduce of 256 KiB took 7 to 12 ms, in INVOKER mode 0.3.
     */
    private static final int CPUS_A_THREAD = 2;

    /**
     * Settles the mode.
     *
     * @param asked   as configured
     * @param isOnGpu whether kernels run on a GPU
     * @param load    who shares the host
     * @return what the runtime does
     */
    public static ThreadingChoice of(ThreadingMode asked, boolean isOnGpu, HostLoad load) {
        int threads = isOnGpu ? GPU_THREADS : HOST_THREADS;
        if (asked != ThreadingMode.AUTO) {
            return new ThreadingChoice(asked, asked == ThreadingMode.INVOKER ? 1 : threads, load, "");
        }
        boolean isRoomy = (long) CPUS_A_THREAD * threads * load.runtimes() <= load.cpus();
        String reason = load.owners() + " of " + threads + " threads " + (isRoomy ? "leave" : "would not leave")
                + " half of " + load.cpusText() + " free";
        return isRoomy ? new ThreadingChoice(ThreadingMode.DEDICATED, threads, load, reason)
                : new ThreadingChoice(ThreadingMode.INVOKER, 1, load, reason);
    }

    /**
     * Whether AUTO was settled here. Then it is seen when other runtimes come and go; the mode stays.
     *
     * @return false if the mode was asked for: then its waits are as asked for, too
     */
    public boolean isAuto() {
        return !reason.isEmpty();
    }

    /**
     * Whether other jobs' runtimes leave the threads of this one less than a CPU each, so that they had better give way
     * than spin. Ranks of one job that are too many know that from the start.
     *
     * @return false if the mode was asked for
     */
    public boolean isOversubscribed() {
        return isAuto() && load.others() > 0 && (long) threads * load.runtimes() > load.cpus();
    }

    ThreadingChoice with(HostLoad now) {
        return new ThreadingChoice(mode, threads, now, reason);
    }
}
