/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import java.time.Duration;

/** How kernels of a GPU carry collectives out other than by rings. The communicator's thread only. */
sealed interface GpuWay permits OneShot, GpuTrees, GpuHierarchical {
    /** Whether the ranks are connected that exchange data. All ranks find the same. */
    boolean isConnected(CollectiveWork work);

    /** Blocks until all ranks do so, each for the timeout at most; nothing may run. */
    void connect(CollectiveWork work, Duration timeout);

    /** Whether the kernel is there. All ranks find the same. */
    boolean isLoaded(CollectiveWork work);

    /** Gets it. Blocks, and wants a stream that is idle, at all ranks. */
    void load(CollectiveWork work);

    /** How many launches it takes. */
    default int phases() {
        return 1;
    }

    /** Launches one phase, and tells the proxy of it; false if it has nothing to do. */
    boolean launch(CollectiveWork work, int phase);
}
