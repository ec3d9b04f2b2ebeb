/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.runtime.Connector;

/**
 * A connection between the two ranks, both ends of it.
 *
 * @param channel  of the communicator
 * @param send     the sending rank's end
 * @param recv     the receiving rank's end
 * @param sender   what the sending rank's kernels have
 * @param receiver what the receiving rank's kernels have
 */
record TransportLink(int channel, Connector send, Connector recv, DeviceConnection sender, DeviceConnection receiver) {
}
