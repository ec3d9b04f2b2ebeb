/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.diagnosis.CommunicatorCalls.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StragglerTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_000_000);
    private static final int CALLS = 20;

    /** Collectives 1 to 20, a tenth of a second apart, each so many microseconds late. */
    private static RankObservation rank(int rank, LongUnaryOperator lateUs) {
        List<Call> calls = new ArrayList<>();
        for (long number = 1; number <= CALLS; number++) {
            long us = number * 100_000 + lateUs.applyAsLong(number);
            calls.add(new Call(number, 7, 8, -1, NOW.plusNanos(us * 1000)));
        }
        return rank(rank, calls);
    }

    private static RankObservation rank(int rank, List<Call> calls) {
        return new RankObservation(rank, rank, RankObservation.Process.RUNNING, Optional.empty(), true, 0, true,
                List.of(), List.of(), 0, List.of(new CommunicatorCalls("", calls, CALLS, true, Duration.ZERO)), "");
    }

    private static Optional<Straggler> of(RankObservation... ranks) {
        return Straggler.of(new JobObservation("a job", ranks.length, List.of(ranks), NOW, Duration.ZERO));
    }

    @Test
    void shouldNameTheRankThatIsLastMostOfTheTimeAndByHowMuch() {
        // The first of the calls that are known has no other before it.
        assertEquals(Optional.of(new Straggler("", 2, 18, 19, Duration.ofMillis(3), Duration.ofMillis(30), 20)),
                of(rank(0, number -> 0), rank(1, number -> number == 5 ? 9000 : 1000),
                        rank(2, number -> number == CALLS ? 31_000 : 4000)));
        assertEquals("rank 2 is late: of the last 19 collectives of which all ranks have a time it called 19 last, "
                + "usually 2.0 ms after all others, at most 2.0 ms (collective 20); times are of this host's clock",
                of(rank(0, number -> 0), rank(2, number -> 2000)).orElseThrow().sentence());
    }

    @Test
    void shouldNameNoneIfTheyTakeTurnsOrAreLateByLess() {
        assertEquals(Optional.empty(), of(rank(0, number -> number % 2 * 5000), rank(1, number -> 2000),
                rank(2, number -> (number + 1) % 3 * 4000)));
        assertEquals(Optional.empty(), of(rank(0, number -> 0), rank(1, number -> 900)));
        assertEquals(Optional.empty(), of(rank(0, number -> 0)));
    }

    /** A rank that is late does not wait, and most of its calls have the time of one before. */
    @Test
    void shouldCompareOnlyCallsThatHaveATimeOfTheirOwn() {
        List<Call> rare = IntStream.rangeClosed(1, CALLS).mapToObj(number -> new Call(number, 7, 8, -1,
                NOW.plusNanos((number - number % 4) * 100_000_000L + 3_000_000))).toList();
        assertEquals(Optional.of(new Straggler("", 1, 5, 5, Duration.ofMillis(3), Duration.ofMillis(3), 20)),
                of(rank(0, number -> 0), rank(1, rare)));
    }
}
