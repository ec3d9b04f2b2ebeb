/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import java.time.Duration;

/** How kernels of a GPU carry collectives out other than by rings. The communicator's thread only. */
sealed interface GpuWay permits OneShot, GpuTrees {
    /** Whether the ranks are connected that exchange data. All ranks find the same. */
    boolean isConnected(CollectiveWork work);

    /** Blocks until all ranks do so, each for the timeout at most; nothing may run. */
    void connect(CollectiveWork work, Duration timeout);

    /** Whether the kernel is there. All ranks find the same. */
    boolean isLoaded(CollectiveWork work);

    /** Gets it. Blocks, and wants a stream that is idle, at all ranks. */
    void load(CollectiveWork work);

    /** Launches it, and tells the proxy of it. */
    void launch(CollectiveWork work);
}
