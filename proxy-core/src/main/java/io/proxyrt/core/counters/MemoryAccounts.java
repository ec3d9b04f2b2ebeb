/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.Direction;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Which connection has how much memory, and what for: kept in a table of the counters file for as many connections as
 * it has rows for, and in the totals for all. A connection that finds no row gets the next that falls free.
 *
 * {@snippet :
 * MemoryAccount account = context.counters().memory().open("SHM", connection.id(), peer, Direction.SEND);
 * account.add(MemoryUse.SIMPLE, bytes);
 * account.close();
 * }
 *
 * <p>Any thread; one at a time gets in.
 */
public final class MemoryAccounts {
    private final Counters counters;
    private final MemoryRow[] rows;
    private final ArrayDeque<Integer> freeRows = new ArrayDeque<>();
    private final Set<MemoryAccount> listed = new LinkedHashSet<>();
    private final Set<MemoryAccount> unlisted = new LinkedHashSet<>();
    private final long[] totals = new long[MemoryUse.values().length];
    private long idleBytes;

    MemoryAccounts(Counters counters, MemorySegment table) {
        this.counters = counters;
        this.rows = new MemoryRow[(int) (table.byteSize() / MemoryRow.BYTES)];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = new MemoryRow(table.asSlice(i * MemoryRow.BYTES, MemoryRow.BYTES));
            freeRows.add(i);
        }
    }

    /**
     * Opens the account of a connection, or of memory that connections share.
     *
     * @param transport  its name, 8 ASCII characters at most
     * @param connection its id; 0 for what is of several
     * @param peer       rank at the other end; for what is of several the rank that uses them
     * @param direction  of the data
     * @return with nothing in it; owned by the caller
     */
    public synchronized MemoryAccount open(String transport, long connection, int peer, Direction direction) {
        MemoryAccount account = new MemoryAccount(this, transport, connection, peer, direction);
        list(account);
        count();
        return account;
    }

    /**
     * The accounts that are open: at the end, what has leaked.
     *
     * @return a copy
     */
    public synchronized List<MemoryAccount> open() {
        List<MemoryAccount> all = new ArrayList<>(listed);
        all.addAll(unlisted);
        return all;
    }

    /**
     * Notes that memory lies ready for connections, or less of it.
     *
     * @param delta bytes
     */
    public synchronized void addIdle(long delta) {
        idleBytes += delta;
        assert idleBytes >= 0 : idleBytes;
        counters.set(Counter.MEMORY_IDLE, idleBytes);
    }

    synchronized void add(MemoryAccount account, MemoryUse use, long delta) {
        if (account.isClosed) {
            return;
        }
        account.bytes[use.ordinal()] += delta;
        total(use, delta);
        if (account.row != MemoryAccount.UNLISTED) {
            rows[account.row].write(account);
        }
    }

    synchronized long bytes(MemoryAccount account, MemoryUse use) {
        return account.bytes[use.ordinal()];
    }

    synchronized void close(MemoryAccount account) {
        if (account.isClosed) {
            return;
        }
        account.isClosed = true;
        for (MemoryUse use : MemoryUse.values()) {
            total(use, -account.bytes[use.ordinal()]);
            account.bytes[use.ordinal()] = 0;
        }
        unlist(account);
        count();
    }

    private void list(MemoryAccount account) {
        if (freeRows.isEmpty()) {
            unlisted.add(account);
            return;
        }
        account.row = freeRows.removeFirst();
        listed.add(account);
        rows[account.row].write(account);
    }

    private void unlist(MemoryAccount account) {
        unlisted.remove(account);
        if (!listed.remove(account)) {
            return;
        }
        rows[account.row].clear();
        freeRows.addFirst(account.row);
        account.row = MemoryAccount.UNLISTED;
        if (!unlisted.isEmpty()) {
            MemoryAccount next = unlisted.iterator().next();
            unlisted.remove(next);
            list(next);
        }
    }

    private void total(MemoryUse use, long delta) {
        totals[use.ordinal()] += delta;
        counters.set(use.total(), totals[use.ordinal()]);
    }

    private void count() {
        assert listed.size() + freeRows.size() == rows.length && (unlisted.isEmpty() || freeRows.isEmpty());
        counters.set(Counter.MEMORY_ACCOUNTS, listed.size() + unlisted.size());
    }
}
