/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

/** Ids of work requests: what they are for, the slot of the irecv, and the queue pair. */
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

    private static final int SLOT_SHIFT = 16;
    private static final int KIND_SHIFT = 32;
    private static final int MASK = 0xffff;

    private WorkId() {
    }

    static long of(int kind, int slot, int pair) {
        return (long) kind << KIND_SHIFT | (long) slot << SLOT_SHIFT | pair;
    }

    static int kind(long id) {
        return (int) (id >>> KIND_SHIFT);
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
