/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.Direction;

/** A connection's memory, as the counters file shows it. */
public final class MemoryShare {
    private final String transport;
    private final long connection;
    private final int peer;
    private final Direction direction;
    private final long[] bytes;

    MemoryShare(String transport, long connection, int peer, Direction direction, long[] bytes) {
        this.transport = transport;
        this.connection = connection;
        this.peer = peer;
        this.direction = direction;
        this.bytes = bytes;
    }

    /**
     * What carries its data.
     *
     * @return printable
     */
    public String transport() {
        return transport;
    }

    /**
     * Which connection of the runtime.
     *
     * @return its id; 0 for memory of several
     */
    public long connection() {
        return connection;
    }

    /**
     * The rank at the other end; of memory that connections share, the rank that uses them.
     *
     * @return its number
     */
    public int peer() {
        return peer;
    }

    /**
     * Which way data flow.
     *
     * @return the direction
     */
    public Direction direction() {
        return direction;
    }

    /**
     * How much it has.
     *
     * @param use what for
     * @return bytes
     */
    public long bytes(MemoryUse use) {
        return bytes[use.ordinal()];
    }
}
