/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.verbs.Gid;

/**
 * How a port is reached now.
 *
 * @param mtu       active, as verbs number it
 * @param linkLayer InfiniBand or Ethernet, as verbs number it
 * @param lid       of InfiniBand
 * @param gidIndex  of the GID
 * @param gid       chosen
 */
record IbAddress(int mtu, int linkLayer, int lid, int gidIndex, Gid gid) {
}
