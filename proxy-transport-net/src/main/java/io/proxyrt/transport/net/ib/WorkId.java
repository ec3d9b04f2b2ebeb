/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

/**
 * Ids of work requests: whose they are, what they are for, the slot of the irecv, and the queue pair.
 *
 * <pre>
 *  48        36     32        16          0
 *  +---------+------+---------+-----------+
 *  | route   | kind | slot    | pair      |
 *  +---------+------+---------+-----------+
 * </pre>
 */
final class WorkId {
    /** A message, or several. */
    static final int DATA = 1;
    /** An element of the sender's FIFO. */
    static final int CLEAR_TO_SEND = 2;
    /** A receive, which completes with an immediate. */
    static final int RECEIVE = 3;
    static final int FLUSH = 4;
    /** A write of nothing, behind all that was posted to a queue pair that is over. */
    static final int MARKER = 5;
    /** A write of nothing, by a queue pair that is to be used. */
    static final int PROBE = 6;

    /** How many there may be at a queue. */
    static final int ROUTES = 1 << 12;

    private static final int SLOT_SHIFT = 16;
    private static final int KIND_SHIFT = 32;
    private static final int ROUTE_SHIFT = 36;
    private static final int MASK = 0xffff;
    private static final int KIND_MASK = 0xf;

    private WorkId() {
    }

    static long of(int route, int kind, int slot, int pair) {
        assert route >= 0 && route < ROUTES && (slot | pair) >>> SLOT_SHIFT == 0 : route;
        return (long) route << ROUTE_SHIFT | (long) kind << KIND_SHIFT | (long) slot << SLOT_SHIFT | pair;
    }

    static int route(long id) {
        return (int) (id >>> ROUTE_SHIFT);
    }

    static int kind(long id) {
        return (int) (id >>> KIND_SHIFT) & KIND_MASK;
    }

    static int slot(long id) {
        return (int) (id >>> SLOT_SHIFT) & MASK;
    }

    static int pair(long id) {
        return (int) id & MASK;
    }

    static String text(long id) {
        return switch (kind(id)) {
            case DATA -> "a message";
            case CLEAR_TO_SEND -> "clear to send";
            case RECEIVE -> "a receive";
            case FLUSH -> "a flush";
            case PROBE -> "a first write";
            default -> "work request " + id;
        };
    }
}
