/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.CollFunction;
import java.nio.ByteBuffer;

/**
 * What one rank tells another that it was asked for, when it gets no further: a blob of the bootstrap.
 *
 * <pre>
 *  kind 1 | at 1 | collective 8 | its collectives | its messages to the reader | its messages from the reader
 *
 *  each list: number of the last 8 | n 4 | n times: word 8, bytes 8
 * </pre>
 *
 * @param at          where it stands still
 * @param collective  the number of that collective, or 0
 * @param collectives the last it was asked for
 * @param sends       its last messages to the reader
 * @param recvs       its last messages from the reader
 */
record RankReport(At at, long collective, OpLog collectives, OpLog sends, OpLog recvs) {
    static final byte KIND = 1;
    static final int COLLECTIVES = 64;
    static final int MESSAGES = 16;
    private static final At[] PLACES = At.values();

    /** Where a rank stands still. */
    enum At {
        /** It only asks, or has stood still for a moment. */
        UNKNOWN,
        /** At a collective. */
        COLLECTIVE,
        /** At messages to or from the reader only. */
        MESSAGE
    }

    byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(2 + Long.BYTES + collectives.maxBytes() + sends.maxBytes()
                + recvs.maxBytes());
        out.put(KIND).put((byte) at.ordinal()).putLong(collective);
        collectives.put(out);
        sends.put(out);
        recvs.put(out);
        byte[] blob = new byte[out.position()];
        out.flip().get(blob);
        return blob;
    }

    /** Reads all behind the kind; throws as {@link OpLog#get}. */
    static RankReport decode(ByteBuffer in) {
        int at = in.get();
        if (at < 0 || at >= PLACES.length) {
            throw new IllegalArgumentException("place " + at);
        }
        return new RankReport(PLACES[at], in.getLong(), OpLog.get(in, COLLECTIVES), OpLog.get(in, MESSAGES),
                OpLog.get(in, MESSAGES));
    }

    /** Whether the rank is at a collective that needs every other rank before it can end. */
    boolean needsAllRanks() {
        return at == At.COLLECTIVE && needsAllRanks(collectives, collective);
    }

    static boolean needsAllRanks(OpLog log, long number) {
        if (!log.holds(number)) {
            return false;
        }
        CollFunction function = OpWord.function(log.word(number));
        return switch (function) {
            case BROADCAST, REDUCE, SCATTER, GATHER, ALL_TO_ALLV -> false;
            case null, default -> true;
        };
    }
}
