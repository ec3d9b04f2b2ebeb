/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.Device;

/**
 * What a transport gets from its runtime.
 *
 * @param config   effective settings
 * @param rank     of this runtime
 * @param device   whose kernels the transport serves
 * @param counters of this runtime
 * @param memory   shared with ranks of this host, once the runtime has started; null in tests of what does not ask
 */
public record TransportContext(ProxyConfig config, int rank, Device device, Counters counters, MemorySharing memory) {
}
