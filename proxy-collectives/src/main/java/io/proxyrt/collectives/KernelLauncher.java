/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.RingGeometry;
import java.time.Duration;

/**
 * Carries a communicator's launches out, one after the other: by the host's kernels, or by a GPU's. The communicator's
 * thread only. What is launched has been told to the proxy before; launching allocates nothing once it is warm.
 */
sealed interface KernelLauncher permits HostLauncher, GpuLauncher {
    /** Most launches that are not retired. */
    int capacity();

    /** What the next collective shall do; to be filled, then cut for every channel, then launched. */
    CollectiveWork work();

    /** How many channels share some work. All ranks find the same. */
    int channels(CollectiveWork work);

    /** Cuts one channel's part of {@link #work}; the answer is good until the next call. */
    RingGeometry prepare(int channel, long offset, long bytes);

    /** Launches {@link #work}. */
    void launchCollective();

    /** Whether messages can go to a rank and come from it. */
    boolean isConnected(int peer);

    /** Connects with ranks. Blocks until they do so too, each for the timeout at most. */
    void connect(Duration timeout, int... peers);
}
