/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import java.lang.foreign.Arena;

/** Chunks on their way out. Each reader has a cursor, and a slot is free again when the last has passed it. */
final class ChunkRing {
    private final Slot[] slots = new Slot[ChunkSize.RING_SLOTS];
    private long head;
    private long tail;

    ChunkRing(Arena arena, int chunkBytes) {
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot(arena.allocate(Slot.PAYLOAD_AT + chunkBytes, Long.BYTES));
        }
    }

    /** The next one to be filled; null if all are full. */
    Slot free() {
        return head - tail < slots.length ? slots[(int) (head % slots.length)] : null;
    }

    /** The free one is full. */
    void publish() {
        head++;
    }

    long head() {
        return head;
    }

    boolean isEmpty() {
        return head == tail;
    }

    Slot at(long cursor) {
        assert cursor >= tail && cursor < head : tail + " <= " + cursor + " < " + head;
        return slots[(int) (cursor % slots.length)];
    }

    /** All readers are at least here. */
    void release(long least) {
        assert least >= tail && least <= head : tail + " <= " + least + " <= " + head;
        tail = least;
    }
}
