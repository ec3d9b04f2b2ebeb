/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ThreadingMode;

/**
 * The threading mode of a runtime, and why. {@link ThreadingMode#AUTO} is settled here: threads of their own where
 * those that may be busy leave half of the CPUs free, the caller's else. One thread too many stops a rank for a time
 * slice, and with it all ranks, so there is no mode in between.
 *
 * @param mode   never AUTO
 * @param load   who shares the host: what AUTO is settled by
 * @param reason for people, to stand behind the mode and {@code because}; empty if the mode was asked for
 */
public record ThreadingChoice(ThreadingMode mode, HostLoad load, String reason) {
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
        if (asked != ThreadingMode.AUTO) {
            return new ThreadingChoice(asked, load, "");
        }
        int threads = isOnGpu ? GPU_THREADS : HOST_THREADS;
        boolean isRoomy = (long) CPUS_A_THREAD * threads * load.runtimes() <= load.cpus();
        return new ThreadingChoice(isRoomy ? ThreadingMode.DEDICATED : ThreadingMode.INVOKER, load, load.owners()
                + " of " + threads + " threads " + (isRoomy ? "leave" : "would not leave") + " half of " + load.cpus()
                + (load.cpus() == 1 ? " CPU" : " CPUs") + " free");
    }
}
