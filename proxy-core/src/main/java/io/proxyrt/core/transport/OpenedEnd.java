/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

/** What a peer made for its end of a connection, opened here. */
public interface OpenedEnd extends AutoCloseable {
    /**
     * Whose it is.
     *
     * @return as the peer said
     */
    ConnectorEnd end();

    /** The peer keeps it. Idempotent. */
    @Override
    void close();
}
