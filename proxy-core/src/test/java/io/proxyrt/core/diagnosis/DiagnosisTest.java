/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Direction;
import io.proxyrt.core.counters.ActiveOp;
import io.proxyrt.core.diagnosis.CommunicatorCalls.Call;
import io.proxyrt.core.diagnosis.RankObservation.KernelWait;
import io.proxyrt.core.diagnosis.RankObservation.Process;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** One observation after the other, made by hand. */
class DiagnosisTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_000_000);
    private static final Duration LONG = Duration.ofMillis(4500);
    private static final Duration SPAN = Duration.ofMillis(200);
    private static final String RANK = "rank %d (pid 10%d)";

    /** A call of this word does so much. */
    private static final CallWords WORDS = new CallWords() {
        @Override
        public String describe(long word, long bytes) {
            return "work " + word + " of " + bytes;
        }

        @Override
        public String difference(long word, long bytes, long otherWord, long otherBytes) {
            return (word == otherWord ? "" : "word") + (bytes == otherBytes ? "" : "count");
        }
    };

    /** A rank that is changed before it is seen. */
    private static final class Rank {
        private final int rank;
        private Process process = Process.RUNNING;
        private Optional<Duration> heartbeat = Optional.of(Duration.ofMillis(50));
        private boolean hasThreads = true;
        private double noCpu;
        private boolean hasMoved;
        private long notFetched;
        private String failure = "";
        private Duration waits = Duration.ZERO;
        private final List<ActiveOp> ops = new ArrayList<>();
        private final List<KernelWait> kernels = new ArrayList<>();
        private final List<CommunicatorCalls> communicators = new ArrayList<>();

        Rank(int rank) {
            this.rank = rank;
        }

        Rank is(Process state) {
            process = state;
            return this;
        }

        Rank waitsFor(int peer) {
            return waitsFor(peer, LONG);
        }

        Rank waitsFor(int peer, Duration still) {
            kernels.add(new KernelWait("proxy-stream-0: all_reduce #422: waits for step 9 from rank " + peer
                    + ", channel 0 (SHM)", still));
            return this;
        }

        /** As a caller whose kernels cannot be seen; before what it called. */
        Rank waits() {
            waits = LONG;
            return this;
        }

        Rank op(Direction direction, int peer, int... steps) {
            ops.add(new ActiveOp(422, 0x100000000L, "NET", direction, peer, 0, 2, 0, 0,
                    CollFunction.ALL_REDUCE.ordinal(), 2, 7, 0, 4096, 16, 0, steps[0], steps[1], steps[2], steps[3],
                    LONG, LONG));
            return this;
        }

        /** Calls of the whole job: 1 to last, of the same word and size. */
        Rank called(long last, long finished) {
            return called("", last, finished, 100);
        }

        Rank called(String communicator, long last, long finished, long bytesOfLast) {
            List<Call> calls = new ArrayList<>();
            for (long i = Math.max(1, last - 5); i <= last; i++) {
                calls.add(new Call(i, 7, i == last ? bytesOfLast : 100, -1, NOW.minus(LONG).plusMillis(i - last)));
            }
            communicators.add(new CommunicatorCalls(communicator, calls, finished, last <= finished, waits));
            return this;
        }

        RankObservation seen() {
            return new RankObservation(rank, 100 + rank, process, heartbeat, hasThreads, noCpu, hasMoved, ops, kernels,
                    notFetched, communicators, failure);
        }
    }

    private static Rank rank(int number) {
        return new Rank(number);
    }

    private static Diagnosis of(int nRanks, Rank... ranks) {
        return Diagnosis.of(new JobObservation("a job", nRanks,
                List.of(ranks).stream().map(Rank::seen).toList(), NOW, SPAN), WORDS);
    }

    private static void assertFound(Diagnosis found, Reason reason, List<Integer> culprits, String... texts) {
        assertEquals(reason, found.reason(), found.sentence());
        assertEquals(culprits, found.culprits(), found.sentence());
        for (String text : texts) {
            assertTrue(found.sentence().contains(text), found.sentence());
        }
    }

    @Test
    void shouldNameTheDeadBeforeAllElse() {
        assertFound(of(3, rank(0).waitsFor(2), rank(1).waitsFor(0).is(Process.STOPPED), rank(2).is(Process.DEAD)),
                Reason.DEAD, List.of(2), "rank 2 (pid 102) is dead: killed, or crashed; rank 0 waits for it, for "
                        + "4.5 s: all_reduce #422: waits for step 9 from rank 2, channel 0 (SHM)");
    }

    @Test
    void shouldNameTheStopped() {
        assertFound(of(3, rank(0).waitsFor(2), rank(1).waitsFor(0), rank(2).is(Process.STOPPED).waitsFor(1)),
                Reason.STOPPED, List.of(2), "rank 2 (pid 102) is stopped", "kill -CONT 102", "; rank 0 waits for it");
        assertFound(of(3, rank(0).is(Process.STOPPED), rank(1).waitsFor(0), rank(2).is(Process.STOPPED)),
                Reason.STOPPED, List.of(0, 2), "ranks 0 (pid 100) and 2 (pid 102) are stopped",
                "kill -CONT 100 102 continues them");
    }

    @Test
    void shouldFollowTheWaitingToTheRankThatHasNotCalled() {
        Diagnosis found = of(4, rank(0).called(211, 209).waitsFor(3), rank(1).called(211, 210).waitsFor(0),
                rank(2).called(211, 210).waitsFor(1), rank(3).called(210, 210));
        assertFound(found, Reason.NOT_CALLED, List.of(3), String.format(RANK, 3, 3)
                + " has not called collective 211, work 7 of 100; its last call, collective 210, work 7 of 100, was "
                + "4.5 s ago; rank 0 waits for it, for 4.5 s");
        assertEquals(List.of(3, 0, 1), found.edges().stream().map(WaitEdge::to).toList());
    }

    @Test
    void shouldNameAllThatHaveNotCalled() {
        assertFound(of(4, rank(0).called(5, 4).waitsFor(1).waitsFor(2), rank(1).called(4, 4), rank(2).called(3, 3),
                rank(3).called(5, 4).waitsFor(2)), Reason.NOT_CALLED, List.of(1, 2),
                "rank 1 (pid 101) has not called collective 5", "rank 2 (pid 102) has not called collective 4",
                "ranks 0 and 3 wait for them");
    }

    @Test
    void shouldNameWhoCalledSomethingElseAndInWhat() {
        assertFound(of(3, rank(0).called(5, 4).waitsFor(2), rank(1).called(5, 4).waitsFor(0),
                rank(2).called("", 5, 4, 50).waitsFor(1)), Reason.CALLED_OTHER, List.of(2),
                "as collective 5 ranks 0 and 1 called work 7 of 100, and rank 2 work 7 of 50 (other count)");
        assertFound(of(2, rank(0).called(5, 4), rank(1).called("", 5, 4, 50)), Reason.CALLED_OTHER, List.of(1));
    }

    @Test
    void shouldCompareOnlyCallsOfTheSameCommunicatorAndNumber() {
        assertFound(of(2, rank(0).called("", 5, 5, 100), rank(1).called("split 1", 5, 5, 50).called(5, 5)),
                Reason.NONE, List.of());
        // Rank 1's call 6 has another size than rank 0's call 5.
        assertFound(of(2, rank(0).called("", 5, 4, 100).waitsFor(1), rank(1).called("", 6, 4, 50).waitsFor(0)),
                Reason.NOT_CALLED, List.of(0));
    }

    @Test
    void shouldSeeRanksAtDifferentCommunicators() {
        assertFound(of(2, rank(0).called("", 5, 4, 100).called("split 1", 1, 1, 100).waitsFor(1),
                rank(1).called("", 4, 4, 100).called("split 1", 2, 1, 100).waitsFor(0)),
                Reason.OTHER_COMMUNICATOR, List.of(0, 1), "rank 0 is at collective 5, work 7 of 100; "
                        + "rank 1 is at collective 2 of split 1", "in the same order");
    }

    @Test
    void shouldNameAProxyThatHasNotFetched() {
        Rank silent = rank(1).called(5, 4);
        silent.heartbeat = Optional.of(Duration.ofSeconds(3));
        silent.notFetched = 3;
        assertFound(of(2, rank(0).called(5, 4).op(Direction.RECV, 1, 8, 4, 4, 4), silent), Reason.PROXY, List.of(1),
                "rank 1 (pid 101): its progress thread has not been at work for 3.0 s, and 3 posted ops are not "
                        + "fetched",
                "rank 0 waits for it, for 4.5 s: waits for rank 1 to send step 4 of 16 (op 422, from "
                        + "rank 1, NET connection 100000000");
    }

    @Test
    void shouldNotTakeACallerThatComputesForAStuckProxy() {
        Rank computes = rank(1).called(4, 4);
        computes.heartbeat = Optional.of(Duration.ofSeconds(3));
        computes.hasThreads = false;
        assertFound(of(2, rank(0).called(5, 4).waitsFor(1), computes), Reason.NOT_CALLED, List.of(1));
        computes.notFetched = 1;
        assertFound(of(2, rank(0).called(5, 4).waitsFor(1), computes), Reason.PROXY, List.of(1),
                "its caller has not driven its proxy for 3.0 s, and 1 posted ops");
    }

    @Test
    void shouldNameTheCallerThatHasCalledAndDoesNotDriveWhatItCalled() {
        Rank elsewhere = rank(1).called(5, 4).op(Direction.RECV, 2, 8, 4, 4, 4);
        elsewhere.heartbeat = Optional.of(Duration.ofMillis(1200));
        elsewhere.hasThreads = false;
        Rank waits = rank(2).called(5, 4).op(Direction.RECV, 0, 8, 4, 4, 4);
        waits.hasThreads = false;
        assertFound(of(3, rank(0).called(5, 4).op(Direction.RECV, 1, 8, 4, 4, 4), elsewhere, waits), Reason.PROXY,
                List.of(1), "rank 1 (pid 101): its caller has not driven its proxy for 1.2 s: without threads it has "
                        + "to synchronize; rank 0 waits for it", "rank 2 waits for rank 0 in turn");
        elsewhere.heartbeat = Optional.of(Duration.ofMillis(100));
        assertFound(of(3, rank(0).called(5, 4).op(Direction.RECV, 1, 8, 4, 4, 4), elsewhere, waits), Reason.CIRCLE,
                List.of(0, 1, 2));
    }

    @Test
    void shouldNotBlameCallersThatAreAllElsewhere() {
        Rank first = rank(0).called(5, 4).op(Direction.RECV, 1, 8, 4, 4, 4);
        Rank second = rank(1).called(5, 4).op(Direction.RECV, 0, 8, 4, 4, 4);
        for (Rank rank : List.of(first, second)) {
            rank.heartbeat = Optional.of(Duration.ofSeconds(2));
            rank.hasThreads = false;
        }
        assertFound(of(2, first, second), Reason.CIRCLE, List.of(0, 1));
    }

    @Test
    void shouldBlameTheNetworkForAStepThatWasSentAndHasNotCome() {
        assertFound(of(2, rank(0).called(5, 4).op(Direction.SEND, 1, 12, 0, 8, 4),
                rank(1).called(5, 4).op(Direction.RECV, 0, 12, 4, 4, 4)), Reason.NETWORK, List.of(0, 1),
                "the network does not bring to rank 1 what rank 0 has given to it: rank 1 waits for rank 0 to send "
                        + "step 4 of 16 (op 422, from rank 0, NET connection 100000000, channel 0), for 4.5 s");
    }

    @Test
    void shouldBlameTheNetworkIfTheSenderHasFinished() {
        assertFound(of(2, rank(0).called(5, 5), rank(1).called(5, 4).op(Direction.RECV, 0, 12, 4, 4, 4)),
                Reason.NETWORK, List.of(0), "rank 0 (pid 100) has finished all that it was asked for");
    }

    @Test
    void shouldNameAKernelThatHasNotCome() {
        assertFound(of(2, rank(0).called(5, 4).op(Direction.RECV, 1, 8, 0, 0, 0),
                rank(1).called(5, 4).op(Direction.SEND, 0, 8, 0, 0, 0)), Reason.KERNEL, List.of(1),
                "rank 1 (pid 101): its kernel has not come or stands still: it waits for a kernel of this rank to fill "
                        + "step 0 of 16, or for rank 0 to be ready for it");
        assertFound(of(2, rank(0).called(5, 4).waitsFor(1), rank(1).called(5, 4)), Reason.KERNEL, List.of(1),
                "has called what others wait for, and its kernel has not come");
    }

    @Test
    void shouldGoByCallsWhereKernelsCannotBeSeen() {
        assertFound(of(3, rank(0).waits().called(5, 4), rank(1).called(4, 4), rank(2).waits().called(5, 4)),
                Reason.NOT_CALLED, List.of(1), "rank 1 (pid 101) has not called collective 5, work 7 of 100",
                "; ranks 0 and 2 wait for it, rank 0 for 4.5 s: collective 5, work 7 of 100");
        assertFound(of(2, rank(0).waits().called(5, 4), rank(1).called(5, 4)), Reason.KERNEL, List.of(0),
                "rank 0 (pid 100): its kernel has not come or stands still", "collective 5, work 7 of 100");
        Rank message = rank(0);
        message.communicators.add(new CommunicatorCalls("", List.of(new Call(0, 5, 64, 1, NOW.minus(LONG))), 4, false,
                LONG));
        assertFound(of(2, message, rank(1).called(4, 4)), Reason.NOT_CALLED, List.of(1),
                "has not called what others wait for", "rank 0 waits for it, for 4.5 s: work 5 of 64 with rank 1");
    }

    @Test
    void shouldFollowASendThatWaitsForAPeerThatHasNotCalled() {
        assertFound(of(2, rank(0).called(5, 4).op(Direction.SEND, 1, 8, 0, 0, 0), rank(1).called(4, 4)),
                Reason.NOT_CALLED, List.of(1), "rank 1 (pid 101) has not called collective 5");
    }

    @Test
    void shouldNameARankWithoutCpu() {
        Rank starved = rank(1).called(4, 4);
        starved.noCpu = 0.93;
        assertFound(of(2, rank(0).called(5, 4).waitsFor(1), starved), Reason.NO_CPU, List.of(1),
                "rank 1 (pid 101) has not called collective 5", "; it gets no CPU: its threads had "
                        + "little of one, and one waited for it 93 % of the time; rank 0 waits for it");
    }

    /** A GPU's kernels do not show for whom they wait. */
    @Test
    void shouldTakeUnseenRanksForLateIfNoneThatIsSeenIs() {
        assertFound(of(3, rank(0).waits().called(5, 4), rank(1).waits().called(5, 4)), Reason.NOT_SEEN, List.of(2));
        assertFound(of(3, rank(0).waits().called(5, 4), rank(1).called(4, 4)), Reason.NOT_CALLED, List.of(1));
    }

    @Test
    void shouldSayWhichRankCannotBeSeen() {
        assertFound(of(3, rank(0).waitsFor(2), rank(1).waitsFor(0)), Reason.NOT_SEEN, List.of(2),
                "rank 2 is not seen from here", "rank 0 waits for it");
    }

    @Test
    void shouldTellACircle() {
        assertFound(of(3, rank(0).called(5, 4).waitsFor(1), rank(1).called(5, 4).waitsFor(2),
                rank(2).called(5, 4).waitsFor(0)), Reason.CIRCLE, List.of(0, 1, 2),
                "ranks 0, 1 and 2 wait for each other", "a fault of a network or of proxyrt");
    }

    @Test
    void shouldNameTheRankThatIsBehindInACircle() {
        Rank atMessage = rank(1);
        atMessage.communicators.add(new CommunicatorCalls("", List.of(new Call(4, 7, 100, -1, NOW.minus(LONG)),
                new Call(0, 5, 64, 0, NOW.minus(LONG).plusMillis(1))), 4, false, Duration.ZERO));
        assertFound(of(2, rank(0).called(5, 4).waitsFor(1), atMessage.waitsFor(0)), Reason.NOT_CALLED, List.of(1),
                "rank 0 is at collective 5, work 7 of 100; rank 1 is at work 5 of 64 with rank 0");
    }

    @Test
    void shouldNameTheFailure() {
        Rank failed = rank(1).called(5, 4);
        failed.failure = "no route";
        assertFound(of(2, rank(0).called(5, 4).waitsFor(1), failed), Reason.FAILED, List.of(1),
                "rank 1 (pid 101) has failed: no route");
    }

    @Test
    void shouldFindNothingWhereNothingStandsStill() {
        assertFound(of(2, rank(0).called(5, 5), rank(1).called(5, 5)), Reason.NONE, List.of(),
                "no op and no kernel of ranks 0 and 1 waits");
        assertFound(of(2, rank(0).called(5, 4).waitsFor(1, Duration.ofMillis(100)), rank(1).called(4, 4)),
                Reason.NONE, List.of());
        assertFound(of(4), Reason.NONE, List.of(), "no rank of the job is seen");
        Rank moves = rank(1).called(5, 4);
        moves.hasMoved = true;
        assertFound(of(2, rank(0).called(5, 4).waitsFor(1), moves), Reason.NONE, List.of(), "ranks that move");
    }

    @Test
    void shouldSayTheSameInAnyOrderOfRanks() {
        Rank[] ranks = {rank(0).called(5, 4).waitsFor(1), rank(1).called(4, 4),
            rank(2).called("", 5, 4, 1).waitsFor(1)};
        Rank[] others = {ranks[2], ranks[0], ranks[1]};
        assertEquals(of(3, ranks).sentence(), of(3, others).sentence());
    }

    @Test
    void shouldBearNonsense() {
        Random random = new Random(42);
        for (int i = 0; i < 2000; i++) {
            Rank[] ranks = new Rank[random.nextInt(5)];
            for (int j = 0; j < ranks.length; j++) {
                ranks[j] = nonsense(random);
            }
            Diagnosis found = of(random.nextInt(), ranks);
            assertTrue(found.reason() == Reason.NONE || !found.culprits().isEmpty(), found.sentence());
        }
    }

    private static Rank nonsense(Random random) {
        Rank rank = rank(random.nextInt(6) - 1);
        rank.kernels.add(new KernelWait("x: ; ; from rank 999999999; until rank " + random.nextInt(6) + ": ;",
                Duration.ofNanos(random.nextLong() >>> 1)));
        rank.ops.add(new ActiveOp(random.nextLong(), random.nextLong(), "?", random.nextBoolean() ? Direction.SEND
                : Direction.RECV, random.nextBoolean() ? random.nextInt() : random.nextInt(6), random.nextInt(),
                random.nextInt(4), random.nextInt(), random.nextInt(2), random.nextInt(), random.nextInt(),
                random.nextInt(), random.nextInt(), random.nextLong(), random.nextInt(), random.nextLong(),
                random.nextInt(), random.nextInt(), random.nextInt(), random.nextInt(),
                Duration.ofNanos(random.nextLong() >>> 1), Duration.ofNanos(random.nextLong() >>> 1)));
        rank.communicators.add(new CommunicatorCalls("", List.of(new Call(random.nextLong(), random.nextLong(),
                random.nextLong(), random.nextInt(), Instant.ofEpochMilli(random.nextInt()))), random.nextLong(),
                random.nextBoolean(), Duration.ofNanos(random.nextLong() >>> 1)));
        rank.process = Process.values()[random.nextInt(3)];
        rank.noCpu = random.nextDouble();
        return rank;
    }
}
