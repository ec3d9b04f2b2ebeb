/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The wire of the ring network: packets of memory, with one thread that fills them and one that empties them. A message
 * is as many packets as it takes, an empty one too.
 */
final class PacketRing {
    static final int PACKET_BYTES = 16 << 10;
    private static final int PACKETS = 16;

    final int senderRank;
    final RingBell senderBell;
    final RingBell receiverBell;
    volatile boolean isSenderGone;
    volatile boolean isReceiverGone;
    /** Outlives the end that goes first: the other may still be at it. */
    private final MemorySegment packets = Arena.ofAuto().allocate((long) PACKETS * PACKET_BYTES, 64);
    private final long[] messageBytes = new long[PACKETS];
    private final int[] tags = new int[PACKETS];
    private final int[] lengths = new int[PACKETS];
    private final AtomicLong filled = new AtomicLong();
    private final AtomicLong emptied = new AtomicLong();

    PacketRing(int senderRank, RingBell senderBell, RingBell receiverBell) {
        this.senderRank = senderRank;
        this.senderBell = senderBell;
        this.receiverBell = receiverBell;
    }

    boolean isFull() {
        return filled.get() - emptied.get() == PACKETS;
    }

    /** Unless it is full. The store of {@code filled} publishes the packet. */
    void fill(MemorySegment from, long offset, int length, long ofMessageBytes, int tag) {
        int place = place(filled);
        MemorySegment.copy(from, offset, packets, (long) place * PACKET_BYTES, length);
        messageBytes[place] = ofMessageBytes;
        tags[place] = tag;
        lengths[place] = length;
        filled.incrementAndGet();
        receiverBell.ring();
    }

    boolean isEmpty() {
        return filled.get() == emptied.get();
    }

    /** Of the message that the next packet belongs to; unless it is empty, as below. */
    long messageBytes() {
        return messageBytes[place(emptied)];
    }

    int tag() {
        return tags[place(emptied)];
    }

    /** Takes the next packet out. Returns its length. The store of {@code emptied} gives its place back. */
    int empty(MemorySegment to, long offset) {
        int place = place(emptied);
        int length = lengths[place];
        MemorySegment.copy(packets, (long) place * PACKET_BYTES, to, offset, length);
        emptied.incrementAndGet();
        senderBell.ring();
        return length;
    }

    private static int place(AtomicLong counter) {
        return (int) (counter.get() % PACKETS);
    }
}
