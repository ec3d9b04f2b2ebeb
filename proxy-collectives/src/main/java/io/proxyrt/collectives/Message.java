/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.MessagePart;

/** One end of a message that a rank was asked for. Reused. */
final class Message {
    final MessagePart part = new MessagePart();
    int peer;
    boolean isSend;
    /** False for what both ends know to be nothing. */
    boolean isMoved;
    /** Whether the ranks compare it by itself, and not as part of a collective. */
    boolean isCompared;
    /** Places in the order of a launch, which ends of the same message have alike. */
    private long place;

    /**
     * Orders the messages of ranks so that each can be launched behind all before it: by distance to the receiver, then
     * those of collectives before others, then by number between two ranks; a message out goes before the one in that
     * takes the same place.
     */
    void place(int distance, boolean isOfCollective, int number) {
        place = (long) distance << 33 | (isOfCollective ? 0L : 1L << 32) | (long) number << 1 | (isSend ? 0 : 1);
    }

    boolean isBefore(Message other) {
        return place < other.place;
    }
}
