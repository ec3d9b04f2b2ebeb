/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import io.proxyrt.core.Connector;
import io.proxyrt.core.device.DeviceConnection;

/**
 * A connection from rank 0 to rank 1, both ends of it.
 *
 * @param channel  of the communicator
 * @param send     rank 0's end
 * @param recv     rank 1's end
 * @param sender   what rank 0's kernels have
 * @param receiver what rank 1's kernels have
 */
record TransportLink(int channel, Connector send, Connector recv, DeviceConnection sender, DeviceConnection receiver) {
}
