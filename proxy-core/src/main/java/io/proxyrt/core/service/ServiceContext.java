/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.progress.ProgressAgent;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.TransportContext;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What the service works with.
 *
 * @param self       this runtime
 * @param runtime    its configuration, counters and device
 * @param transports by id
 * @param progress   asked to let go of connections
 * @param pool       of ops
 * @param memory     that came by the UDS thread
 * @param onAbort    drops all ops there are and will be
 * @param clock      monotonic, in nanoseconds
 */
public record ServiceContext(PeerId self, TransportContext runtime, Map<Integer, ProxyTransport> transports,
                             ProgressAgent progress, OpsPool pool, MemoryExports memory,
                             Consumer<ProxyException> onAbort, LongSupplier clock) {
    int rank() {
        return self.rank();
    }
}
