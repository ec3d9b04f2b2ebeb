/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What goes wrong is told, sticks, and hurts no other comm; what is too early, too late or too much hurts none. */
abstract class NetFailureConformance extends NetGroupConformance {
    @Test
    void shouldFailAMessageThatIsLongerThanItsReceive() {
        assumeFalse(mayDo(NetLeeway.CUT_MESSAGES), "the network cuts it");
        long request = pair.irecv(0, 4096);
        int result = pair.awaitReceive(request, pair.isend(0, 4097));

        assertTooLong(result, 4097, 4096);
        assertEquals(result, pair.recv.test(request, pair.actual), "the failure must stick");
        assertEquals(result, pair.irecv(0, 4096));
    }

    @Test
    void shouldLeaveOtherConnectionsAloneWhenOneFails() {
        assumeFalse(mayDo(NetLeeway.CUT_MESSAGES), "the network cuts it");
        try (NetPair other = pair(MAX_BYTES)) {
            long request = pair.irecv(0, 1);
            assertTooLong(pair.awaitReceive(request, pair.isend(0, 2)), 2, 1);

            other.exchange(0, 0, MAX_BYTES);
            other.assertSame(0, 0, MAX_BYTES);
        }
    }

    @Test
    void shouldFailReceivesWhenThePeerCloses() {
        assumeLossIsNoticed();
        long complete = pair.irecv(0, 10);
        long request = pair.irecv(0, 10);
        pair.finish(pair.isend(0, 10), complete);
        pair.send.close();

        assertPeerLost(0, pair.recv, pair.await(pair.recv, request));
        assertTrue(mayDo(NetLeeway.VAGUE_FAILURES) || pair.recv.failure().contains("closed by the peer"),
                "the sender closed in good order, so the receiver's failure() has to say \"closed by the peer\", and"
                        + " was: " + pair.recv.failure());
    }

    @Test
    void shouldStillHandOverWhatWasCompleteBeforeAFailure() {
        assumeLossIsNoticed();
        long complete = pair.irecv(0, 10);
        long request = pair.irecv(100, 10);
        long sending = pair.isend(5, 10);
        while (!pair.isSent(sending)) {
            assertEquals(0, pair.recv.test(request, pair.actual), "its message was not sent");
            NetPair.turn();
        }
        pair.send.close();

        assertPeerLost(0, pair.recv, pair.await(pair.recv, request));
        assertEquals(1, pair.recv.test(complete, pair.actual),
                "a receive that was complete before the peer closed stays so: test has to return 1");
        assertEquals(10, pair.actual[0]);
        pair.assertSame(5, 0, 10);
    }

    @Test
    void shouldFailSendsWhenThePeerCloses() {
        assumeLossIsNoticed();
        pair.recv.close();
        assertSendsFail();
    }

    @Test
    void shouldFailSendsWhenThePeerClosesAfterAThreadWasParked() {
        assumeLossIsNoticed();
        long request = pair.irecv(0, 10);
        receiver.park(1);
        pair.finish(pair.isend(0, 10), request);
        sender.park(1);
        pair.recv.close();
        assertSendsFail();
    }

    @Test
    void shouldFailWhatIsUnderWayWhenThePeersNetworkGoes() {
        assumeLossIsNoticed();
        long request = pair.irecv(0, MAX_BYTES);
        pair.isend(0, 100_000);
        pair.send.close();
        sender.close();

        int result = pair.await(pair.recv, request);
        if (result == 1) {
            pair.assertSame(0, 0, 100_000);
            long next = pair.irecv(0, 10);
            result = next < 0 ? (int) next : pair.await(pair.recv, next);
        }
        assertPeerLost(0, pair.recv, result);
    }

    @Test
    void shouldEndAParkWhenDataCome() {
        long request = pair.irecv(0, 10);
        receiver.park(1);
        long sending = pair.isend(0, 10);
        long beforeNs = System.nanoTime();
        receiver.park(TimeUnit.SECONDS.toNanos(30));

        long tookNs = System.nanoTime() - beforeNs;
        assertTrue(tookNs < TimeUnit.SECONDS.toNanos(10), () -> "data came, so park has to end before its 30 s are"
                + " over; it took " + TimeUnit.NANOSECONDS.toMillis(tookNs) + " ms");
        pair.finish(sending, request);
    }

    @Test
    void shouldEndAParkInTimeWhenNothingComes() {
        pair.irecv(0, 10);
        for (int i = 0; i < 20; i++) {
            receiver.park(1000);
            sender.park(1000);
        }
    }

    @Test
    void shouldCloseWithoutCompletingWhatIsOutstanding() {
        pair.irecv(0, 10);
        pair.tryIsend(0, MAX_BYTES);
        pair.send.close();
        pair.recv.close();
        pair.send.close();
        pair.recv.close();
        sender.close();
    }

    @Test
    void shouldRefuseTestsOfWhatIsNotOutstanding() {
        long request = pair.irecv(0, 10);
        pair.finish(pair.isend(0, 10), request);

        for (long wrong : new long[] {0, -1, request, request + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            NetPair.assertRefused(pair.recv, pair.recv.test(wrong, pair.actual));
            NetPair.assertRefused(pair.send, pair.send.test(wrong, pair.actual));
        }
        pair.exchange(0, 0, 10);
    }

    private void assertSendsFail() {
        int result = 0;
        while (result >= 0) {
            long request = pair.tryIsend(0, 10);
            result = request <= 0 ? (int) request : pair.send.test(request, pair.actual);
            NetPair.turn();
        }

        assertPeerLost(1, pair.send, result);
    }

    private void assumeLossIsNoticed() {
        assumeFalse(mayDo(NetLeeway.UNNOTICED_LOSS), "the network does not notice that a peer is gone");
    }
}
