/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages arrive whole, unchanged, in order, and where they belong. */
abstract class NetMessageConformance extends NetConformance {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 129, 4079, 4080, 4095, 4096, 4097, 16383, 16384, 16385, 16400, 16401, 32767,
            32768, 32769, 65535, 65536, 65537, 131071, 131072, 131073, MAX_BYTES})
    void shouldCarryMessagesOfEverySize(int bytes) {
        pair.exchange(0, 0, bytes);

        assertEquals(bytes, pair.actual[0]);
        pair.assertSame(0, 0, bytes);
    }

    @Test
    void shouldCarryALargeMessageFromAnyOffsetToAnyOther() {
        int bytes = 32 << 20;
        try (NetPair large = pair(bytes)) {
            large.exchange(3, 1, bytes - 5);

            assertEquals(bytes - 5, large.actual[0]);
            large.assertSame(3, 1, bytes - 5);
            assertEquals(0, large.target.get(ValueLayout.JAVA_BYTE, 0));
            assertEquals(0, large.target.get(ValueLayout.JAVA_INT_UNALIGNED, bytes - 4));
        }
    }

    @Test
    void shouldReportTheSizeOfAMessageShorterThanItsReceive() {
        long request = pair.irecv(0, 1000);
        pair.finish(pair.isend(0, 10), request);

        assertSize(10, 1000, 0);
    }

    @Test
    void shouldTouchNothingBeyondTheMessage() {
        pair.target.fill((byte) 0x5a);
        long first = pair.irecv(100, 50);
        long second = pair.irecv(1000, 70_000);
        pair.isend(0, 30);
        pair.finish(pair.isend(500, 60_000), second);

        assertEquals(1, pair.await(pair.recv, first));
        assertTarget(0, 100, 0x5a);
        assertTarget(130, 870, 0x5a);
        assertTarget(61_000, 30_000, 0x5a);
    }

    @Test
    void shouldCarryMessagesOneAfterTheOther() {
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            int bytes = random.nextInt(10) == 0 ? random.nextInt(300_000) : random.nextInt(500);
            int from = random.nextInt(MAX_BYTES - bytes);
            int to = random.nextInt(MAX_BYTES - bytes);
            pair.exchange(from, to, bytes);

            assertEquals(bytes, pair.actual[0]);
            pair.assertSame(from, to, bytes);
        }
    }

    @Test
    void shouldKeepTheOrderOfManyMessagesOfMixedSizes() {
        traffic(pair, 400, new Random(42)).run();
    }

    @Test
    void shouldKeepTheMessagesOfConnectionsApart() {
        Random random = new Random(43);
        try (NetPair second = pair(MAX_BYTES); NetPair third = pair(MAX_BYTES)) {
            NetTraffic[] traffic = {traffic(pair, 100, random), traffic(second, 100, random),
                traffic(third, 100, random)};
            while (!traffic[0].isDone() || !traffic[1].isDone() || !traffic[2].isDone()) {
                traffic[random.nextInt(traffic.length)].advance();
                NetPair.turn();
            }
        }
    }

    @Test
    void shouldCarryAMessageThatWasSentBeforeItsReceiveWasPosted() {
        long early = NetPair.checked(pair.send, pair.tryIsend(3, 2000));
        long receiving = pair.irecv(0, 2000);
        pair.finish(early == 0 ? pair.isend(3, 2000) : early, receiving);

        pair.assertSame(3, 0, 2000);
    }

    @Test
    void shouldRefuseRequestsWithoutAnErrorWhenTooManyAreOutstanding() {
        long receiving = pair.irecv(0, 1);
        int room = 1;
        while (room < MAX_BYTES && pair.irecv(room, 1) > 0) {
            room++;
        }
        assertTrue(room >= 8 && room < MAX_BYTES, "a comm bears at least 8 requests, this one bears " + room);

        long first = pair.isend(0, 1);
        for (int i = 1; i < room; i++) {
            assertTrue(pair.isend(i, 1) > 0, "send " + i + " was refused");
        }
        assertEquals(0, pair.irecv(0, 1));
        pair.finish(first, receiving);
        assertTrue(pair.irecv(0, 1) > 0);
    }

    @Test
    void shouldLetRequestsBeTestedInAnyOrder() {
        long[] recvs = {pair.irecv(0, 100), pair.irecv(100, 100_000), pair.irecv(200_000, 5)};
        long[] sends = {pair.isend(0, 100), pair.isend(100, 100_000), pair.isend(7, 5)};
        pair.finish(sends[2], recvs[2]);
        pair.finish(sends[0], recvs[0]);
        pair.finish(sends[1], recvs[1]);

        pair.assertSame(0, 0, 100_100);
        pair.assertSame(7, 200_000, 5);
    }

    @Test
    void shouldHoldTheSenderBackWhileNothingIsReceived() {
        long request = 1;
        int sends = 0;
        while (request > 0 && sends < 1000) {
            request = NetPair.checked(pair.send, pair.tryIsend(0, MAX_BYTES));
            sends++;
        }

        assertEquals(0, request, "the sender was never refused");
        assertEquals("", pair.send.failure());
    }

    @Test
    void shouldLetAnotherThreadTakeTheConnectionOver() throws InterruptedException {
        pair.exchange(0, 0, 100);
        Thread other = Thread.ofPlatform().start(() -> {
            pair.exchange(0, 0, 100_000);
            pair.exchange(0, 200_000, 3);
        });
        other.join();

        pair.assertSame(0, 0, 100_000);
        pair.assertSame(0, 200_000, 3);
    }

    private void assertTarget(int offset, int bytes, int value) {
        for (int i = offset; i < offset + bytes; i++) {
            assertEquals(value, pair.target.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
        }
    }
}
