/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ThreadingMode;

/**
 * The threading mode of a runtime, and why. {@link ThreadingMode#AUTO} is settled here: threads of their own where each
 * that may be busy has a CPU, the caller's else. One thread too many stops a rank for a time slice, and with it all
 * ranks, so there is no mode in between.
 *
 * @param mode   never AUTO
 * @param reason for people, to stand behind the mode and {@code because}; empty if the mode was asked for
 */
public record ThreadingChoice(ThreadingMode mode, String reason) {
    /**
     * Threads that a rank with kernels of the host may keep busy in DEDICATED mode: its caller, its stream's, progress.
     * On 16 CPUs 5 ranks were fine by that count, and 6 were not. A rank that is bound to a share of the CPUs counts
     * those alone; INVOKER was as fast then from 4 ranks on.
     */
    static final int HOST_THREADS = 3;
    /** The same for a rank whose kernels run on a GPU: its caller and progress. */
    static final int GPU_THREADS = 2;

    /**
     * Settles the mode.
     *
     * @param asked   as configured
     * @param isOnGpu whether kernels run on a GPU
     * @param load    of the host; looked at for AUTO only
     * @return what the runtime does
     */
    public static ThreadingChoice of(ThreadingMode asked, boolean isOnGpu, HostLoad load) {
        if (asked != ThreadingMode.AUTO) {
            return new ThreadingChoice(asked, "");
        }
        int threads = isOnGpu ? GPU_THREADS : HOST_THREADS;
        boolean isRoomy = (long) threads * load.runtimes() <= load.cpus();
        return new ThreadingChoice(isRoomy ? ThreadingMode.DEDICATED : ThreadingMode.INVOKER, load.owners() + " of "
                + threads + " threads " + (isRoomy ? "fit " : "are too many for ") + load.cpus()
                + (load.cpus() == 1 ? " CPU" : " CPUs") + " of this process");
    }
}
