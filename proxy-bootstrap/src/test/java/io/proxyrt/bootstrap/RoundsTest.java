/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RoundsTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private final List<List<Message>> sent = Stream.<List<Message>>generate(ArrayList::new).limit(3).toList();
    private final BootstrapConfig config = BootstrapConfig.defaults().withLimits(8 << 10, 16 << 10);
    private final Rounds barriers = new Rounds(RoundKind.BARRIER, 3, config, this::send);
    private final Rounds gathers = new Rounds(RoundKind.ALL_GATHER, 3, config, this::send);

    private void send(int rank, ByteBuffer frame) {
        sent.get(rank).add(MessageCodec.decode(frame));
    }

    private static Message.Part part(long sequence, long timeoutMillis, byte... blob) {
        return new Message.Part(RoundKind.BARRIER, sequence, timeoutMillis, blob);
    }

    @Test
    void shouldAnswerWhenTheLastHasCome() {
        barriers.contribute(2, part(0, 1000), 0);
        barriers.contribute(0, part(0, 1000), 0);
        assertEquals(List.of(), sent.get(0));

        barriers.contribute(1, part(0, 1000), 0);

        sent.forEach(s -> assertEquals(List.of(new Message.RoundDone(RoundKind.BARRIER, 0)), s));
        assertEquals(0, barriers.kept());
    }

    @Test
    void shouldSendAllBlobsInTheOrderOfRanks() {
        gathers.contribute(2, part(0, 1000, (byte) 2), 0);
        gathers.contribute(0, part(0, 1000), 0);
        gathers.contribute(1, part(0, 1000, (byte) 1), 0);

        final Message.Gathered all = assertInstanceOf(Message.Gathered.class, sent.get(0).getFirst());
        assertEquals(0, all.first());
        assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 2}, all.tail());
        assertEquals(2, sent.get(2).size());
    }

    @Test
    void shouldSendAsManyBlobsInAFrameAsFit() {
        gathers.contribute(0, part(0, 1000, new byte[4000]), 0);
        gathers.contribute(1, part(0, 1000, new byte[4167]), 0);
        gathers.contribute(2, part(0, 1000, new byte[1]), 0);

        final List<Message.Gathered> frames = sent.get(1).stream().filter(Message.Gathered.class::isInstance)
                .map(Message.Gathered.class::cast).toList();
        assertEquals(List.of(0, 2), frames.stream().map(Message.Gathered::first).toList());
        assertEquals(4000 + 4167 + 8, frames.getFirst().blobs().remaining());
        assertTrue(MessageCodec.encode(frames.getFirst()).remaining() - 8 <= config.maxFrameBytes());
    }

    @Test
    void shouldKeepRoundsApartWhenARankIsAhead() {
        barriers.contribute(0, part(0, 1000), 0);
        barriers.contribute(0, part(1, 1000), 0);
        barriers.contribute(1, part(0, 1000), 0);
        barriers.contribute(2, part(0, 1000), 0);

        assertEquals(List.of(new Message.RoundDone(RoundKind.BARRIER, 0)), sent.get(0));
        assertEquals(1, barriers.kept());
    }

    @Test
    void shouldNameWhoIsMissingAtTheShortestDeadline() {
        barriers.contribute(0, part(0, 30_000), 0);
        barriers.contribute(2, part(0, 2_000), SECOND);

        barriers.expire(3 * SECOND - 1);
        assertEquals(List.of(), sent.get(0));
        barriers.expire(3 * SECOND);

        final Message failed = new Message.RoundFailed(RoundKind.BARRIER, 0, ProxyResult.TIMEOUT,
                "barrier 0: rank 2 waited 2 s for rank 1");
        assertEquals(List.of(failed), sent.get(0));
        assertEquals(List.of(failed), sent.get(2));
    }

    @Test
    void shouldTellLatecomersThatTheRoundHasFailed() {
        barriers.contribute(0, part(0, 1000), 0);
        barriers.expire(SECOND);
        barriers.contribute(1, part(0, 1000), 2 * SECOND);
        barriers.contribute(2, part(0, 1000), 3 * SECOND);

        assertEquals(sent.get(0), sent.get(1));
        assertEquals(sent.get(0), sent.get(2));
        assertEquals(0, barriers.kept());
    }

    @Test
    void shouldGoOnAfterAFailedRound() {
        barriers.contribute(0, part(0, 1000), 0);
        barriers.expire(SECOND);
        for (int rank = 0; rank < 3; rank++) {
            if (rank > 0) {
                barriers.contribute(rank, part(0, 1000), SECOND);
            }
            barriers.contribute(rank, part(1, 1000), SECOND);
        }

        sent.forEach(s -> assertEquals(new Message.RoundDone(RoundKind.BARRIER, 1), s.getLast()));
    }

    @Test
    void shouldFailWhatWaitsForARankThatLeaves() {
        barriers.contribute(0, part(0, 1000), 0);

        barriers.leave(2);
        barriers.contribute(1, part(0, 1000), 0);

        final Message failed = new Message.RoundFailed(RoundKind.BARRIER, 0, ProxyResult.REMOTE_ERROR,
                "barrier 0 cannot complete: rank 2 closed the bootstrap before");
        assertEquals(List.of(failed), sent.get(0));
        assertEquals(List.of(failed), sent.get(1));
        assertEquals(0, barriers.kept());
    }

    @Test
    void shouldCompleteARoundToWhichTheLeaverHadCome() {
        barriers.contribute(2, part(0, 1000), 0);
        barriers.leave(2);
        barriers.contribute(0, part(0, 1000), 0);
        barriers.contribute(1, part(0, 1000), 0);

        assertEquals(List.of(new Message.RoundDone(RoundKind.BARRIER, 0)), sent.get(0));
    }

    @Test
    void shouldForgetAFailedRoundWhenTheOnlyOneWhoDidNotPassItLeaves() {
        barriers.contribute(0, part(0, 1000), 0);
        barriers.contribute(1, part(0, 1000), 0);
        barriers.expire(SECOND);
        assertEquals(1, barriers.kept());

        barriers.leave(2);

        assertEquals(0, barriers.kept());
    }

    @Test
    void shouldRefuseAPartOutOfSequence() {
        barriers.contribute(0, part(0, 1000), 0);

        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> barriers.contribute(0, part(0, 1000), 0), "1 comes next");
        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> barriers.contribute(1, part(-1, 1000), 0), "0 comes next");
    }

    @Test
    void shouldBoundWhatARankHoldsInOpenRounds() {
        gathers.contribute(0, part(0, 1000, new byte[10_000]), 0);

        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> gathers.contribute(0, part(1, 1000, new byte[10_000]), 0),
                "16384 bytes");
    }

    @Test
    void shouldCountBytesOnlyWhileARoundIsOpen() {
        for (int round = 0; round < 10; round++) {
            for (int rank = 0; rank < 3; rank++) {
                gathers.contribute(rank, part(round, 1000, new byte[10_000]), 0);
            }
        }

        assertEquals(40, sent.get(0).size());
    }

    @Test
    void shouldBoundHowFarARankIsAhead() {
        final ProxyException e = Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> {
            for (int i = 0; i <= Rounds.MAX_KEPT; i++) {
                barriers.contribute(0, part(i, 0), i);
                barriers.expire(i);
            }
        });

        assertTrue(e.getMessage().contains("ahead"), e.getMessage());
    }
}
