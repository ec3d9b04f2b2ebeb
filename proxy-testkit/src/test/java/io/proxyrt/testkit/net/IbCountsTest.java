/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.testkit.verbs.VerbsCounts;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.lang.foreign.Arena;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a message costs. NCCL posts one send, one receive and one element of the FIFO for it, each by a call of its own,
 * and takes two completions; one element of 256 completes, too.
 */
class IbCountsTest {
    private static final int MESSAGES = 512;
    private static final int BYTES = 1 << 20;
    private static final int ELEMENT_BYTES = 64;
    private static final int RECEIVES_PER_POST = 16;
    private static final int ELEMENTS_PER_COMPLETION = 256;

    private final Arena arena = Arena.ofShared();
    private NetPlugin sender;
    private NetPlugin receiver;
    private NetPair pair;
    private IbHosts hosts;
    private VerbsCounts[] before;

    @AfterEach
    void close() {
        pair.close();
        sender.close();
        receiver.close();
        arena.close();
    }

    private void connect(IbHosts between) {
        hosts = between;
        sender = hosts.open(0);
        receiver = hosts.open(1);
        pair = NetPair.connect(sender, receiver, arena.allocate(BYTES), arena.allocate(BYTES));
        before = new VerbsCounts[] {hosts.verbs[0].counts(), hosts.verbs[1].counts()};
    }

    private VerbsCounts counts(int rank) {
        return hosts.verbs[rank].counts().since(before[rank]);
    }

    @Test
    void shouldPostOnceAtEachEndForAMessage() {
        connect(IbHosts.roce(Map.of()));
        for (int i = 0; i < MESSAGES; i++) {
            pair.exchange(0, 0, BYTES);
        }

        int m = MESSAGES;
        assertEquals(new VerbsCounts(m, m, m, 0, 0, 0, 0, m, m), counts(0));
        int elements = m / ELEMENTS_PER_COMPLETION;
        VerbsCounts received = counts(1);
        assertEquals(new VerbsCounts(m, m, elements, m, (long) m * ELEMENT_BYTES, m / RECEIVES_PER_POST, m, m,
                received.completions()), received);
        assertEquals(m + elements, received.completions(), 1);
    }

    @Test
    void shouldSendSmallMessagesWithinTheWorkRequest() {
        connect(IbHosts.roce(Map.of()));
        for (int i = 0; i < MESSAGES; i++) {
            pair.exchange(0, 0, 128);
        }

        assertEquals(MESSAGES, counts(0).inlineSends());
        assertEquals(MESSAGES * 128, counts(0).inlineBytes());
        assertEquals(MESSAGES, counts(0).sendPosts());
    }

    @Test
    void shouldTellOfALargeMessageByAnotherWriteInTheSamePostWherePacketsPassEachOther() {
        connect(IbHosts.infiniBand(Map.of()));
        pair.exchange(0, 0, BYTES);
        assertEquals(new VerbsCounts(1, 2, 1, 0, 0, 0, 0, 1, 1), counts(0));

        pair.exchange(0, 0, 8192);
        assertEquals(new VerbsCounts(2, 3, 2, 0, 0, 0, 0, 2, 2), counts(0));
    }

    @Test
    void shouldPostOnceForAGroup() {
        connect(IbHosts.roce(Map.of()));
        for (int i = 0; i < 8; i++) {
            pair.group(i, i * 1000, 1000, i);
        }
        long receiving = pair.irecv(8);
        long[] sends = new long[8];
        for (int i = 0; i < 8; i++) {
            sends[i] = pair.isend(i * 1000, 1000, i);
        }
        assertEquals(1, pair.awaitReceive(receiving, sends));

        assertEquals(new VerbsCounts(1, 9, 1, 1, 8 * Long.BYTES, 0, 0, 1, 1), counts(0));
        assertEquals(1, counts(1).sendPosts());
    }

    @Test
    void shouldPostOnceByEachQueuePairOfASplit() {
        connect(IbHosts.roce(Map.of("net.ib.qps.per.connection", "4", "net.ib.split.data.on.qps", "1")));
        pair.exchange(0, 0, BYTES);

        assertEquals(new VerbsCounts(4, 4, 4, 0, 0, 0, 0, 1, 4), counts(0));
    }

    @Test
    void shouldCallNothingForATestThatIsSettled() {
        connect(IbHosts.roce(Map.of()));
        long waiting = pair.isend(0, 100);
        for (int i = 0; i < 100; i++) {
            assertEquals(0, pair.send.test(waiting, pair.actual));
        }
        assertEquals(0, counts(0).downcalls());

        long[] recvs = {pair.irecv(0, 100), pair.irecv(100, 100)};
        long[] sends = {waiting, pair.isend(0, 100)};
        pair.finish(sends[1], recvs[1]);
        long calls = counts(0).downcalls() + counts(1).downcalls();
        assertEquals(1, pair.send.test(sends[0], pair.actual));
        assertEquals(1, pair.recv.test(recvs[0], pair.actual));
        assertEquals(calls, counts(0).downcalls() + counts(1).downcalls());
    }
}
