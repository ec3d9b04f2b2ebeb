/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoundWaitersTest {
    static IntStream sizes() {
        return IntStream.concat(IntStream.rangeClosed(1, 17), IntStream.of(64));
    }

    /** By frames of the wire; ranks come in any order, and blobs fill some frames or a part of one. */
    @ParameterizedTest
    @MethodSource("sizes")
    void shouldGetTheBlobsOfAllRanksFromTheRoot(int nRanks) {
        final Random random = new Random(nRanks);
        final List<RoundWaiters> ranks = Stream.generate(() -> new RoundWaiters(nRanks)).limit(nRanks).toList();
        final Rounds root = new Rounds(RoundKind.ALL_GATHER, nRanks,
                BootstrapConfig.defaults().withLimits(8 << 10, 1 << 20), (rank, frame) -> hear(ranks.get(rank), frame));
        for (int round = 0; round < 4; round++) {
            final byte[][] blobs = new byte[nRanks][];
            final RoundWaiters.Waiter[] waiters = new RoundWaiters.Waiter[nRanks];
            for (final int rank : shuffled(nRanks, random)) {
                blobs[rank] = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(5000)];
                random.nextBytes(blobs[rank]);
                waiters[rank] = ranks.get(rank).begin(RoundKind.ALL_GATHER, _ -> { });
                root.contribute(rank, new Message.Part(RoundKind.ALL_GATHER, round, 1000, blobs[rank]), 0);
            }
            for (final RoundWaiters.Waiter waiter : waiters) {
                assertTrue(waiter.done().isDone());
                assertArrayEquals(blobs, waiter.blobs(nRanks));
            }
        }
        assertEquals(0, root.kept());
    }

    private static List<Integer> shuffled(int count, Random random) {
        final List<Integer> all = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        Collections.shuffle(all, random);
        return all;
    }

    private static void hear(RoundWaiters rank, ByteBuffer frame) {
        final Message message = MessageCodec.decode(frame);
        if (message instanceof Message.Gathered gathered) {
            rank.gathered(gathered);
        } else {
            rank.done((Message.RoundDone) message);
        }
    }

    @Test
    void shouldRefuseWhatIsNoBlobOfARank() {
        final RoundWaiters waiters = new RoundWaiters(2);
        final RoundWaiters.Waiter waiter = waiters.begin(RoundKind.ALL_GATHER, _ -> { });

        assertRefused(waiters, "blobs of 1 ranks from rank -1 on", -1, 0, 0, 0, 0);
        assertRefused(waiters, "blobs of 1 ranks from rank 2 on", 2, 0, 0, 0, 0);
        assertRefused(waiters, "blobs of 2 ranks from rank 1 on", 1, 0, 0, 0, 0, 0, 0, 0, 0);
        assertRefused(waiters, "ends within a field", 0);
        assertRefused(waiters, "ends within a field", 0, 0, 0, 0);
        assertRefused(waiters, "ends within a field", 0, 0, 0, 0, 2, 7);
        assertRefused(waiters, "a blob of -1 bytes", 0, -1, -1, -1, -1);
        assertNull(waiter.blobs(2)[0]);
    }

    private static void assertRefused(RoundWaiters waiters, String why, int first, int... blobs) {
        final ByteBuffer bytes = ByteBuffer.allocate(blobs.length);
        IntStream.of(blobs).forEach(each -> bytes.put((byte) each));
        Jobs.assertFails(ProxyResult.REMOTE_ERROR,
                () -> waiters.gathered(received(Jobs.gathered(0, first, bytes.array()))), why);
    }

    private static Message.Gathered received(Message.Gathered sent) {
        return (Message.Gathered) MessageCodec.decode(MessageCodec.encode(sent));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldRefuseAnswersToRoundsItHasNotComeTo(long sequence) {
        final RoundWaiters waiters = new RoundWaiters(1);
        final RoundWaiters.Waiter waiter = waiters.begin(RoundKind.ALL_GATHER, _ -> { });
        final String why = "an answer to allGather " + sequence + ", which this rank has not come to";

        Jobs.assertFails(ProxyResult.REMOTE_ERROR,
                () -> waiters.gathered(Jobs.gathered(sequence, 0, new byte[4])), why);
        Jobs.assertFails(ProxyResult.REMOTE_ERROR,
                () -> waiters.done(new Message.RoundDone(RoundKind.ALL_GATHER, sequence)), why);
        Jobs.assertFails(ProxyResult.REMOTE_ERROR,
                () -> waiters.done(new Message.RoundDone(RoundKind.BARRIER, 0)), "barrier 0");
        assertFalse(waiter.done().isDone());
    }

    @Test
    void shouldWaitOnForBlobsThatAreMissing() throws Exception {
        final RoundWaiters waiters = new RoundWaiters(2);
        final RoundWaiters.Waiter waiter = waiters.begin(RoundKind.ALL_GATHER, _ -> { });
        final Message.RoundDone done = new Message.RoundDone(RoundKind.ALL_GATHER, 0);
        waiters.gathered(Jobs.gathered(0, 1, new byte[4]));

        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> waiters.done(done), "allGather 0 without all its blobs");
        assertFalse(waiter.done().isDone());
        waiters.gathered(Jobs.gathered(0, 0, new byte[] {0, 0, 0, 1, 7}));
        waiters.done(done);
        assertTrue(waiter.done().isDone());
        assertArrayEquals(new byte[][] {{7}, {}}, waiter.blobs(2));
    }

    /** The rank above sends all but the last, each in a frame of its own, and then the root sends all. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 17})
    void shouldTakeAnAnswerThatComesTwice(int nRanks) {
        final RoundWaiters waiters = new RoundWaiters(nRanks);
        final RoundWaiters.Waiter waiter = waiters.begin(RoundKind.ALL_GATHER, _ -> { });
        final Message.RoundDone done = new Message.RoundDone(RoundKind.ALL_GATHER, 0);
        for (int i = 0; i < 2 * nRanks - 1; i++) {
            final int rank = i < nRanks - 1 ? i : i - nRanks + 1;
            if (i == nRanks - 1) {
                Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> waiters.done(done), "without all its blobs");
            }
            waiters.gathered(Jobs.gathered(0, rank, (byte) 0, (byte) 0, (byte) 0, (byte) 1, (byte) rank));
        }
        waiters.done(done);

        assertTrue(waiter.done().isDone());
        for (int rank = 0; rank < nRanks; rank++) {
            assertArrayEquals(new byte[] {(byte) rank}, waiter.blobs(nRanks)[rank]);
        }
    }

    /** From the last on: only the end shows that all are there; more than two of each no rank sends. */
    @Test
    void shouldTakeBlobsInAnyOrderButNotWithoutEnd() {
        final RoundWaiters waiters = new RoundWaiters(3);
        final RoundWaiters.Waiter waiter = waiters.begin(RoundKind.ALL_GATHER, _ -> { });
        for (int i = 0; i < 6; i++) {
            waiters.gathered(Jobs.gathered(0, 2 - i % 3 / 2, new byte[4]));
        }
        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> waiters.gathered(Jobs.gathered(0, 2, new byte[4])),
                "in more pieces than two ranks can send");
        assertFalse(waiter.done().isDone());

        final RoundWaiters.Waiter next = waiters.begin(RoundKind.ALL_GATHER, _ -> { });
        for (int rank = 2; rank >= 0; rank--) {
            waiters.gathered(Jobs.gathered(1, rank, new byte[4]));
        }
        waiters.done(new Message.RoundDone(RoundKind.ALL_GATHER, 1));
        assertTrue(next.done().isDone());
    }

    @Test
    void shouldDropBlobsOfARoundThatItHasForgotten() {
        final RoundWaiters waiters = new RoundWaiters(1);
        final RoundWaiters.Waiter waiter = waiters.begin(RoundKind.ALL_GATHER, _ -> { });
        waiters.forget(waiter);

        waiters.gathered(Jobs.gathered(0, 0, new byte[4]));
        waiters.done(new Message.RoundDone(RoundKind.ALL_GATHER, 0));

        assertNull(waiter.blobs(2)[0]);
    }
}
