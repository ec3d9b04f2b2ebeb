/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.trace.JobTrace.Pair;
import io.proxyrt.cli.trace.OpSpan.State;
import io.proxyrt.cli.trace.OpSpan.Way;
import io.proxyrt.cli.trace.Pairing.Joined;
import io.proxyrt.cli.trace.Track.Place;
import io.proxyrt.core.Direction;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is joined, and on which tracks it is shown, of ops that the test makes up. */
class PairingTest {
    private static final int CROWD = 1000;

    @Test
    void shouldLeaveUnjoinedWhatALyingFileMakesLong() {
        Joined joined = assertTimeoutPreemptively(Duration.ofSeconds(20),
                () -> Pairing.of(List.of(rank(0, 4000, Direction.SEND, 1), rank(1, 4000, Direction.RECV, 0))));
        assertEquals(List.of(), joined.pairs());
        assertEquals(List.of("what rank 0 sent to rank 1 on channel 0 of job a job is not joined: it would take too "
                + "long, for 4000 connections send, and 4000 receive"), joined.problems());
        assertEquals(new Joined(List.of(new Pair(0, 0, 1, 0)), List.of()),
                Pairing.of(List.of(rank(0, 1, Direction.SEND, 1), rank(1, 1, Direction.RECV, 0))));
    }

    @Test
    void shouldJoinNothingThatARankSendsItself() {
        RankTrace rank = new RankTrace("a job", 0, 2, 1, "dead", "", 0, 10, List.of(op(1, Direction.SEND, 0),
                op(2, Direction.RECV, 0)), List.of(), List.of());
        assertEquals(new Joined(List.of(), List.of()), Pairing.of(List.of(rank)));
    }

    @Test
    void shouldShowACrowdOfOpsAtTheirTimes() {
        RankTrace rank = rank(0, CROWD, Direction.SEND, 1);
        Map<OpSpan, Place> places = Track.of(rank.ops());
        rank.ops().forEach(op -> assertEquals(op.startNs(), places.get(op).startNs(), op::toString));
        assertEquals(CROWD, places.values().stream().map(place -> place.track().id()).distinct().count());
        int last = 0;
        for (int channel : List.of(0, 1, 0xfffe, 0xffff)) {
            for (String verb : List.of("send", "receive", "unknown")) {
                assertTrue(new Track(channel, verb, 0).id() > last);
                last = new Track(channel, verb, 4095).id();
            }
        }
    }

    private static RankTrace rank(int rank, int connections, Direction direction, int peer) {
        return new RankTrace("a job", rank, 2, 1, "dead", "", 0, 10_000_000, IntStream.range(0, connections)
                .mapToObj(connection -> op(connection, direction, peer)).toList(), List.of(), List.of());
    }

    /** All at once, for 10 ms. */
    private static OpSpan op(long connection, Direction direction, int peer) {
        return new OpSpan(2, connection, 0, peer, new Way(Optional.of(direction), "NET"), 0, 10_000_000, 0, false,
                State.DONE, OptionalLong.of(64), OptionalLong.empty());
    }
}
