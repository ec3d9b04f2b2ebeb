/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.progress.ConnectionLookup;
import io.proxyrt.core.progress.ProxyConnection;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.LongFunction;

/**
 * Connections by id. An id is an index with a generation, so one that was freed is never mistaken for its successor.
 * The service thread writes; the progress thread only looks up.
 */
public final class ConnectionTable implements ConnectionLookup {
    private static final int BANK = 128;

    private final Deque<Integer> free = new ArrayDeque<>();
    private final LiveTransports transports = new LiveTransports();
    private int[] generations = new int[BANK];
    private int used;
    /** Written anew after each change: the volatile store publishes the elements too. */
    private volatile ProxyConnection[] slots = new ProxyConnection[BANK];

    /** An empty table. */
    public ConnectionTable() {
    }

    ProxyConnection add(LongFunction<ProxyConnection> factory) {
        int index = free.isEmpty() ? used : free.pop();
        ProxyConnection[] table = slots;
        if (index == table.length) {
            table = Arrays.copyOf(table, index + BANK);
            generations = Arrays.copyOf(generations, index + BANK);
        }
        ProxyConnection connection = factory.apply((long) ++generations[index] << 32 | index);
        used = Math.max(used, index + 1);
        assert table[index] == null : table[index];
        table[index] = connection;
        slots = table;
        transports.add(connection);
        return connection;
    }

    void remove(ProxyConnection connection) {
        int index = (int) connection.id();
        ProxyConnection[] table = slots;
        assert table[index] == connection : connection;
        table[index] = null;
        slots = table;
        free.push(index);
        transports.remove(connection);
    }

    /**
     * The transports of these connections.
     *
     * @return kept up to date; any thread
     */
    public LiveTransports transports() {
        return transports;
    }

    @Override
    public ProxyConnection find(long id) {
        ProxyConnection[] table = slots;
        int index = (int) id;
        ProxyConnection connection = index < 0 || index >= table.length ? null : table[index];
        return connection != null && connection.id() == id ? connection : null;
    }

    int size() {
        return used - free.size();
    }
}
