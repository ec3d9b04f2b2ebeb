/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AnswersTest {
    private static final int N_RANKS = 4;
    private final List<List<Integer>> sent = Stream.<List<Integer>>generate(ArrayList::new).limit(N_RANKS).toList();
    private final Answers answers = new Answers(N_RANKS, (rank, frame) -> sent.get(rank).add(frame.getInt()));

    private void send(int number, long nowNs) {
        answers.send(number, List.of(ByteBuffer.allocate(4).putInt(number).flip()), nowNs);
    }

    private void passedOn(int... ranks) {
        final BitSet some = new BitSet();
        for (final int rank : ranks) {
            some.set(rank);
        }
        answers.passedOn(some);
    }

    private void assertSent(List<Integer> first, List<Integer> second, List<Integer> third, List<Integer> fourth) {
        assertEquals(List.of(first, second, third, fourth), sent);
    }

    @Test
    void shouldSendToAllRanksUntilSomePassOn() {
        send(0, 0);
        assertSent(List.of(0), List.of(0), List.of(0), List.of(0));
        assertEquals(0, answers.kept());

        passedOn(2, 3);
        send(1, 0);
        assertSent(List.of(0, 1), List.of(0, 1), List.of(0), List.of(0));
    }

    @Test
    void shouldKeepAnAnswerUntilAllHaveIt() {
        passedOn(2, 3);
        send(0, 0);
        assertEquals(1, answers.kept());

        answers.got(3, 0);
        answers.got(3, 0);
        answers.got(2, 7);
        assertEquals(1, answers.kept());
        answers.got(2, 0);
        assertEquals(0, answers.kept());
    }

    @Test
    void shouldSendWhatDoesNotComeByOtherRanksThenAndFromThenOn() {
        passedOn(2, 3);
        send(0, 5);
        answers.got(2, 0);
        answers.expire(answers.patienceNs() + 4);
        assertSent(List.of(0), List.of(0), List.of(), List.of());

        answers.expire(answers.patienceNs() + 5);
        assertSent(List.of(0), List.of(0), List.of(), List.of(0));
        assertEquals(0, answers.kept());
        send(1, 6);
        assertSent(List.of(0, 1), List.of(0, 1), List.of(), List.of(0, 1));
    }

    @Test
    void shouldSendWhatIsMissingInItsOrder() {
        passedOn(2, 3);
        send(0, 0);
        send(1, answers.patienceNs());
        answers.got(2, 0);
        answers.expire(answers.patienceNs());
        send(2, answers.patienceNs());
        assertSent(List.of(0, 1, 2), List.of(0, 1, 2), List.of(), List.of(0, 1, 2));

        answers.got(2, 1);
        assertEquals(1, answers.kept());
        answers.got(2, 2);
        assertEquals(0, answers.kept());
    }

    @Test
    void shouldKeepFewAnswers() {
        passedOn(3);
        for (int number = 0; number <= Answers.MAX_KEPT; number++) {
            send(number, 0);
        }

        assertEquals(List.of(0, 1, 2, 3, 4), sent.get(3));
        assertEquals(0, answers.kept());
    }

    @Test
    void shouldNotWaitForRanksBelowOneThatLeaves() {
        passedOn(2, 3);
        send(0, 0);
        answers.left(2);

        assertSent(List.of(0), List.of(0), List.of(), List.of(0));
        assertEquals(0, answers.kept());
        answers.left(3);
        send(1, 0);
        assertSent(List.of(0, 1), List.of(0, 1), List.of(), List.of(0));
    }

    @Test
    void shouldSendAllAnswersItselfOnceARankHasLeft() {
        passedOn(2, 3);
        answers.left(0);
        send(0, 0);

        assertSent(List.of(), List.of(0), List.of(0), List.of(0));
        assertEquals(0, answers.kept());
    }

    @Test
    void shouldNotWaitForARankThatHadLeftBeforeOthersPassOn() {
        answers.left(3);
        passedOn(2, 3);
        send(0, 0);
        assertEquals(1, answers.kept());

        answers.got(2, 0);
        assertEquals(0, answers.kept());
    }

    @Test
    void shouldSendAllThatIsMissingWhenItHasToSettle() {
        passedOn(2, 3);
        send(0, 0);
        send(1, 0);
        answers.got(2, 0);
        answers.settle();

        assertSent(List.of(0, 1), List.of(0, 1), List.of(1), List.of(0, 1));
        assertEquals(0, answers.kept());
    }
}
