/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.KernelPool;
import io.proxyrt.core.device.HostKernel;
import java.time.Duration;

/**
 * How kernels of the host carry collectives out other than by rings. The ranks that exchange data are connected when
 * the first such collective is launched. The communicator's thread only.
 */
sealed interface HostWay permits Doubling, Trees, LogSteps, Hierarchical, AlgorithmFileWay {
    /** Whether a collective can be launched. All ranks find the same. */
    boolean isConnected(CollectiveWork work);

    /** Blocks until all ranks that this one exchanges data with have called it, each for the timeout at most. */
    void connect(CollectiveWork work, Duration timeout);

    /** Ops of a collective, at most. */
    int mostOps();

    /** Prepares one of the kernels of a launch, and tells the proxy of it; posting is the caller's. */
    HostKernel prepare(KernelPool kernels, CollectiveWork wanted, LaunchOps ops);
}
