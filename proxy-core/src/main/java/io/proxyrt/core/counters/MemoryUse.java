/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.Protocol;

/** What a connection's memory is for. The ordinal is its place in the mapped file. */
public enum MemoryUse {
    /** Head, tail and connFifo. */
    CONTROL("control", Counter.MEMORY_CONTROL),
    /** The slots of LL. */
    LL("LL", Counter.MEMORY_LL),
    /** The slots of LL128. */
    LL128("LL128", Counter.MEMORY_LL128),
    /** The slots of Simple that are the connection's own. */
    SIMPLE("Simple", Counter.MEMORY_SIMPLE),
    /** Slots that connections share. */
    SHARED_POOL("shared", Counter.MEMORY_SHARED_POOL);

    private final String label;
    private final Counter total;

    MemoryUse(String label, Counter total) {
        this.label = label;
        this.total = total;
    }

    /**
     * What the slots of a connection's own are for.
     *
     * @param protocol that uses them
     * @return as its name says
     */
    public static MemoryUse of(Protocol protocol) {
        return switch (protocol) {
            case LL -> LL;
            case LL128 -> LL128;
            case SIMPLE -> SIMPLE;
        };
    }

    /**
     * For people.
     *
     * @return at most 7 characters
     */
    public String label() {
        return label;
    }

    /**
     * What counts it for all connections.
     *
     * @return a gauge, in bytes
     */
    public Counter total() {
        return total;
    }
}
