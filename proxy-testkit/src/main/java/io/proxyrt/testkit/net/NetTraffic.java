/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;

/** Messages of random sizes over one connection, several at a time, posted and tested as chance will have it. */
final class NetTraffic {
    /** What every comm bears. */
    private static final int WINDOW = 8;
    private static final long SLOT_BYTES = 130_000;

    private final NetPair pair;
    private final Random random;
    private final int[] bytes;
    private final long[] sends;
    private final long[] recvs;
    private int sent;
    private int tested;
    private int posted;
    private int done;

    NetTraffic(NetPair pair, int messages, Random random) {
        this.pair = pair;
        this.random = random;
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
            recvs[posted] = NetPair.checked(pair.recv, pair.irecv(slot(posted), bytes[posted] + posted % 3));
            posted += recvs[posted] > 0 ? 1 : 0;
        }
        if (tested < sent && random.nextBoolean()) {
            tested += pair.isSent(sends[tested]) ? 1 : 0;
        }
        if (done < posted && pair.isReceived(recvs[done])) {
            assertEquals(bytes[done], pair.actual[0], "size of message " + done);
            pair.assertSame(done, slot(done), bytes[done]);
            done++;
        }
    }

    private static long slot(int message) {
        return message % WINDOW * SLOT_BYTES;
    }
}
