/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ThreadingChoice;

/** Which threads run the agents of a {@link ProxyState}. */
public enum ThreadingMode {
    /** A thread each for progress, service and UDS: for hosts with cores to spare. */
    DEDICATED,
    /** One thread for progress, another for service and UDS. */
    SHARED_CONTROL,
    /** One thread for all of them. */
    SHARED,
    /**
     * No thread: the caller drives everything by {@link ProxyState#invoke()}, or by waiting in one of the runtime's own
     * waits. Deterministic, and the fastest where cores are few. Nothing moves while the caller computes.
     */
    INVOKER,
    /**
     * DEDICATED if the threads that ranks may then keep busy leave half of the host's CPUs free, INVOKER else: settled
     * when the runtime starts, see {@link ThreadingChoice}. For callers that do not compute for long without a wait.
     */
    AUTO
}
