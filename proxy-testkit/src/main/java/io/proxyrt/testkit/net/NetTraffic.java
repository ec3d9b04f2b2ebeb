/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;

/** Messages of random sizes over one connection, several at a time, posted and tested as chance will have it. */
final class NetTraffic {
    /** What {@code test} may say. */
    @FunctionalInterface
    interface Sizes {
        /** Of a message of that many bytes that came for a receive of {@code mostBytes}. */
        boolean isSize(long actual, long bytes, long mostBytes);
    }

    /** What every comm bears. */
    private static final int WINDOW = 8;
    private static final long SLOT_BYTES = 130_000;

    private final NetPair pair;
    private final Random random;
    private final Sizes sizes;
    private final int[] bytes;
    private final long[] sends;
    private final long[] recvs;
    private int sent;
    private int tested;
    private int posted;
    private int done;

    NetTraffic(NetPair pair, int messages, Random random, Sizes sizes) {
        this.pair = pair;
        this.random = random;
        this.sizes = sizes;
        this.bytes = random.ints(messages, 0, 3000).map(size -> size % 20 == 0 ? size * 40 : size).toArray();
        this.sends = new long[messages];
        this.recvs = new long[messages];
    }

    void run() {
        while (!isDone()) {
            advance();
            NetPair.turn();
        }
    }

    boolean isDone() {
        return done == bytes.length && tested == bytes.length;
    }

    /** Takes some of the steps that are possible. */
    void advance() {
        if (sent < bytes.length && sent < tested + WINDOW && random.nextBoolean()) {
            sends[sent] = NetPair.checked(pair.send, pair.tryIsend(sent, bytes[sent]));
            sent += sends[sent] > 0 ? 1 : 0;
        }
        if (posted < bytes.length && posted < done + WINDOW && random.nextBoolean()) {
            recvs[posted] = NetPair.checked(pair.recv, pair.irecv(slot(posted), posted(posted)));
            posted += recvs[posted] > 0 ? 1 : 0;
        }
        if (tested < sent && random.nextBoolean()) {
            tested += pair.isSent(sends[tested]) ? 1 : 0;
        }
        if (done < posted && pair.isReceived(recvs[done])) {
            assertTrue(sizes.isSize(pair.actual[0], bytes[done], posted(done)), "message " + done + " has "
                    + bytes[done] + " bytes, and test said " + pair.actual[0]);
            pair.assertSame(done, slot(done), bytes[done]);
            done++;
        }
    }

    /** How long the receive of a message is. */
    private int posted(int message) {
        return bytes[message] + message % 3;
    }

    private static long slot(int message) {
        return message % WINDOW * SLOT_BYTES;
    }
}
