/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.runtime.ConnectionEnd;

/**
 * Connections with another rank, one each way. Immutable; they are the runtime's.
 *
 * @param peer the other rank
 * @param send what goes there
 * @param recv what comes from there
 */
public record PeerLink(int peer, ConnectionEnd send, ConnectionEnd recv) {
}
