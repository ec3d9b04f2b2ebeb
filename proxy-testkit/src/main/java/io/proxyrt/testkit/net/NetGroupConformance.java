/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Receives of several messages, where the network has them; and flushes. */
abstract class NetGroupConformance extends NetMessageConformance {
    private static final int STRIDE = 100_000;

    /** A message that is to be sent. */
    private record Outgoing(int tag, long from, long bytes) {
    }

    @Test
    void shouldRefuseGroupsItCannotReceive() {
        NetPair.assertRefused(pair.recv, pair.irecvOfMany(0));
        NetPair.assertRefused(pair.recv, pair.irecvOfMany(-1));
        NetPair.assertRefused(pair.recv, pair.irecvOfMany(maxRecvs() + 1));
        pair.exchange(0, 0, 10);
    }

    @Test
    void shouldReceiveAGroupByTagInWhateverOrderItIsSent() {
        int n = groupSize();
        List<Outgoing> messages = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            pair.group(i, (long) i * STRIDE, i * 9000, 100 + i);
            messages.addFirst(new Outgoing(100 + i, i * 7, i * 8000));
        }
        deliver(messages, posted(n));

        for (int i = 0; i < n; i++) {
            assertSize(i * 8000, i * 9000, i);
            pair.assertSame(i * 7, (long) i * STRIDE, i * 8000);
        }
    }

    @Test
    void shouldFillGroupsInTheOrderOfPosting() {
        groupSize();
        pair.group(0, 0, 100, 1);
        pair.group(1, STRIDE, 100, 2);
        long first = posted(2);
        pair.group(0, 2 * STRIDE, 100, 2);
        pair.group(1, 3 * STRIDE, 100, 1);
        long second = posted(2);
        deliver(List.of(new Outgoing(1, 10, 100), new Outgoing(2, 20, 100), new Outgoing(1, 30, 100),
                new Outgoing(2, 40, 100)), first, second);

        pair.assertSame(10, 0, 100);
        pair.assertSame(20, STRIDE, 100);
        pair.assertSame(40, 2 * STRIDE, 100);
        pair.assertSame(30, 3 * STRIDE, 100);
    }

    @Test
    void shouldKeepAGroupOutstandingUntilItsLastMessageIsThere() {
        groupSize();
        pair.group(0, 0, 100, 1);
        pair.group(1, STRIDE, 100, 2);
        long group = posted(2);
        long early = pair.isend(0, 60, 2);
        boolean isSent = false;
        for (int i = 0; i < 1000; i++) {
            isSent = isSent || pair.isSent(early);
            assertEquals(0, pair.recv.test(group, pair.actual));
        }
        deliver(List.of(new Outgoing(1, 0, 0)), group);

        assertSize(0, 100, 0);
        assertSize(60, 100, 1);
    }

    @Test
    void shouldFailAMessageThatIsLongerThanItsMemberOfTheGroup() {
        assumeFalse(mayDo(NetLeeway.CUT_MESSAGES), "the network cuts it");
        groupSize();
        pair.group(0, 0, 5000, 1);
        pair.group(1, STRIDE, 100, 2);
        long group = posted(2);
        int result = pair.awaitReceive(group, pair.isend(0, 101, 2));

        assertTooLong(result, 101, 100);
    }

    @Test
    void shouldCarryAMessageThatNeedNotBeTrackedBehindAnother() {
        long untracked = pair.irecvUntracked(0, 70_000);
        long tracked = pair.irecv(100_000, 10);
        long[] sends = {pair.isend(3, 70_000), pair.isend(0, 10)};
        assertEquals(1, pair.awaitReceive(tracked, sends), pair.recv.failure());
        assertEquals(1, pair.awaitReceive(untracked), pair.recv.failure());

        pair.assertSame(3, 0, 70_000);
        pair.assertSame(0, 100_000, 10);
    }

    @Test
    void shouldFlushWhatWasReceived() {
        pair.exchange(0, 0, 1000);
        assertFlushed(1);

        pair.exchange(0, 0, 0);
        assertFlushed(1);
        pair.assertSame(0, 0, 1000);
    }

    @Test
    void shouldFlushWhileLaterReceivesAreOutstanding() {
        long first = pair.irecv(0, 1000);
        long second = pair.irecv(STRIDE, 1000);
        pair.finish(pair.isend(0, 1000), first);
        pair.group(0, 0, 0, NetPair.TAG);
        assertFlushed(1);

        pair.finish(pair.isend(7, 1000), second);
        pair.assertSame(0, 0, 1000);
        pair.assertSame(7, STRIDE, 1000);
    }

    @Test
    void shouldFlushAGroup() {
        int n = groupSize();
        List<Outgoing> messages = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            pair.group(i, (long) i * STRIDE, 1000, i);
            messages.add(new Outgoing(i, i, i % 2 * 1000));
        }
        deliver(messages, posted(n));
        assertFlushed(n);

        for (int i = 1; i < n; i += 2) {
            pair.assertSame(i, (long) i * STRIDE, 1000);
        }
    }

    /** Of as many messages as were described last, with the sizes that the last test said. */
    private void assertFlushed(int n) {
        long flush = NetPair.checked(pair.recv, pair.iflush(n));
        assertTrue(flush == 0 || pair.await(pair.recv, flush) == 1, pair.recv.failure());
    }

    private int groupSize() {
        assumeTrue(maxRecvs() > 1, "the network receives one message at a time");
        return maxRecvs();
    }

    private long posted(int n) {
        long request = pair.irecv(n);
        assertTrue(request > 0, () -> "the group was not taken: " + request + " " + pair.recv.failure());
        return request;
    }

    /** In this order, each as soon as it is taken; then both ends are driven until the groups are there. */
    private void deliver(List<Outgoing> messages, long... groups) {
        long[] requests = new long[messages.size()];
        for (int i = 0; i < requests.length; i++) {
            Outgoing message = messages.get(i);
            requests[i] = NetPair.checked(pair.send, pair.isend(message.from(), message.bytes(), message.tag()));
        }
        for (int i = 0; i < groups.length; i++) {
            assertEquals(1, pair.awaitReceive(groups[i], i == 0 ? requests : new long[0]), pair.recv.failure());
        }
    }
}
