/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.Direction;
import java.util.Locale;

/** The memory that one connection has. Any thread; takes a lock, so it is for set-up and not for the data path. */
public final class MemoryAccount implements AutoCloseable {
    /** Of a row that the table has no room for. */
    static final int UNLISTED = -1;

    final String transport;
    final long connection;
    final int peer;
    final Direction direction;
    final long[] bytes = new long[MemoryUse.values().length];
    int row = UNLISTED;
    boolean isClosed;
    private final MemoryAccounts accounts;

    MemoryAccount(MemoryAccounts accounts, String transport, long connection, int peer, Direction direction) {
        this.accounts = accounts;
        this.transport = transport;
        this.connection = connection;
        this.peer = peer;
        this.direction = direction;
    }

    /**
     * Notes that the connection has memory, or has less of it. Nothing if the account is closed.
     *
     * @param use   what for
     * @param delta bytes; negative for what was given back
     */
    public void add(MemoryUse use, long delta) {
        accounts.add(this, use, delta);
    }

    /**
     * What the connection has.
     *
     * @param use what for
     * @return bytes
     */
    public long bytes(MemoryUse use) {
        return accounts.bytes(this, use);
    }

    /** Notes that everything was given back. Idempotent. */
    @Override
    public void close() {
        accounts.close(this);
    }

    /** Names the connection, for errors. */
    @Override
    public String toString() {
        return transport + " " + direction.name().toLowerCase(Locale.ROOT) + " connection "
                + Long.toHexString(connection) + (direction == Direction.SEND ? " to" : " from") + " rank " + peer;
    }
}
