/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What some ranks of a job say to each other, without runtimes. */
class RankGroupTest {
    private static final int RANKS = 4;
    private static final Duration LONG = Duration.ofSeconds(30);
    /** Enough for a message on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private BootstrapRoot root;
    private final List<Bootstrap> ranks = new ArrayList<>();
    private final List<GroupMail> mail = new ArrayList<>();

    /** What a rank does. */
    @FunctionalInterface
    interface Step<T> {
        T take(int rank) throws Exception;
    }

    @BeforeEach
    void open() throws Exception {
        root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), RANKS);
        ranks.addAll(all(rank -> Bootstrap.join(root.id(), rank, RANKS, LONG)));
        ranks.forEach(rank -> mail.add(new GroupMail(rank, rank.maxQueuedBytes())));
    }

    @AfterEach
    void close() {
        ranks.forEach(Bootstrap::close);
        root.close();
    }

    private static <T> List<T> all(Step<T> step) throws Exception {
        return all(RANKS, step);
    }

    private static <T> List<T> all(int nRanks, Step<T> step) throws Exception {
        List<CompletableFuture<T>> steps = new ArrayList<>();
        for (int rank = 0; rank < nRanks; rank++) {
            int self = rank;
            CompletableFuture<T> done = new CompletableFuture<>();
            steps.add(done);
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    done.complete(step.take(self));
                } catch (Throwable t) {
                    done.completeExceptionally(t);
                }
            });
        }
        List<T> found = new ArrayList<>();
        for (CompletableFuture<T> each : steps) {
            found.add(each.get(60, TimeUnit.SECONDS));
        }
        return found;
    }

    /** Ranks 3 and 1, in this order, and 0 and 2. */
    private List<SubGroup> halves() throws Exception {
        return all(rank -> new GroupSplit(ranks.get(rank), mail.get(rank)).split(rank % 2, rank % 2 == 1 ? -rank : 0,
                LONG).group());
    }

    @Test
    void shouldGatherByItsOwnNumbers() throws Exception {
        List<SubGroup> halves = halves();
        List<byte[][]> gathered = all(rank -> halves.get(rank).allGather(new byte[] {(byte) rank}, LONG));
        assertArrayEquals(new byte[][] {{0}, {2}}, gathered.get(0));
        assertArrayEquals(new byte[][] {{3}, {1}}, gathered.get(1));
        assertArrayEquals(new byte[][] {{0}, {2}}, gathered.get(2));
        assertArrayEquals(new byte[][] {{3}, {1}}, gathered.get(3));
        assertEquals(1, halves.get(1).jobRank(1));
        assertEquals(3, halves.get(1).jobRank(0));
    }

    /** So long that an answer takes several frames. */
    @Test
    void shouldGatherWhatFillsFrames() throws Exception {
        List<SubGroup> groups = all(rank -> new GroupSplit(ranks.get(rank), mail.get(rank)).split(0, 0, LONG).group());
        int bytes = (1 << 20) - 100;
        List<byte[][]> gathered = all(rank -> {
            byte[] mine = new byte[rank == 2 ? 0 : bytes];
            Arrays.fill(mine, (byte) rank);
            return groups.get(rank).allGather(mine, LONG);
        });
        for (byte[][] one : gathered) {
            for (int rank = 0; rank < RANKS; rank++) {
                assertEquals(rank == 2 ? 0 : bytes, one[rank].length);
                assertTrue(rank == 2 || one[rank][bytes - 1] == rank);
            }
        }
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> groups.getFirst().allGather(new byte[1 << 20], LONG));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
    }

    /** What all are told is more than may wait to be sent. */
    @Test
    void shouldGatherMoreThanAQueueHolds() throws Exception {
        int many = 16;
        int bytes = 2000;
        try (BootstrapRoot crowded = Jobs.root(many, BootstrapConfig.defaults().withLimits(8 << 10, 64 << 10))) {
            List<Bootstrap> members = Jobs.join(crowded, many);
            List<byte[][]> gathered = all(many, rank -> {
                GroupMail own = new GroupMail(members.get(rank), members.get(rank).maxQueuedBytes());
                SubGroup group = new GroupSplit(members.get(rank), own).split(0, 0, LONG).group();
                byte[] mine = new byte[bytes];
                Arrays.fill(mine, (byte) rank);
                return group.allGather(mine, LONG);
            });
            for (byte[][] one : gathered) {
                for (int rank = 0; rank < many; rank++) {
                    assertEquals(bytes, one[rank].length);
                    assertEquals(rank, one[rank][bytes - 1]);
                }
            }
            members.forEach(Bootstrap::close);
        }
    }

    /** Threads that gather do so one by one, and those that meet at barriers do not come between them. */
    @Test
    void shouldTakePartInRoundsWithSeveralThreads() throws Exception {
        List<SubGroup> halves = halves();
        int rounds = 25;
        List<List<byte[][]>> gathered = all(RANKS * 4, thread -> {
            SubGroup half = halves.get(thread % RANKS);
            List<byte[][]> all = new ArrayList<>();
            for (int i = 0; i < rounds; i++) {
                if (thread < 2 * RANKS) {
                    half.barrier(LONG);
                } else {
                    all.add(half.allGather(new byte[] {(byte) (thread % RANKS)}, LONG));
                }
            }
            return all;
        });
        for (int thread = 0; thread < 4 * RANKS; thread++) {
            assertEquals(thread < 2 * RANKS ? 0 : rounds, gathered.get(thread).size());
            for (byte[][] one : gathered.get(thread)) {
                assertArrayEquals(thread % 2 == 0 ? new byte[][] {{0}, {2}} : new byte[][] {{3}, {1}}, one);
            }
        }
    }

    /** A part shrinks by rounds of their own, however many it has had before. */
    @Test
    void shouldShrinkAPart() throws Exception {
        List<SubGroup> groups = all(rank -> new GroupSplit(ranks.get(rank), mail.get(rank)).split(0, 0, LONG).group());
        List<byte[][]> gathered = all(rank -> {
            if (rank == 3) {
                return null;
            }
            SubGroup rest = new GroupSplit(groups.get(rank), mail.get(rank))
                    .shrink(BitSet.valueOf(new long[] {0b1000}), LONG).group();
            return rest.allGather(new byte[] {(byte) rank}, LONG);
        });
        assertArrayEquals(new byte[][] {{0}, {1}, {2}}, gathered.getFirst());
        all(rank -> groups.get(rank).allGather(new byte[0], LONG));
    }

    @Test
    void shouldNameTheRanksThatAreMissingAtARound() throws Exception {
        List<SubGroup> groups = all(rank -> new GroupSplit(ranks.get(rank), mail.get(rank)).split(0, 0, LONG).group());
        List<ProxyException> failures = all(rank -> rank == 1 || rank == 3 ? null
                : assertThrows(ProxyException.class, () -> groups.get(rank).barrier(rank == 0 ? PATIENCE : LONG)));
        assertEquals(ProxyResult.TIMEOUT, failures.get(0).result());
        assertTrue(failures.get(0).getMessage().contains("ranks 1, 3 did not come"), failures.get(0).getMessage());
        // Those that come late hear the same, and the next round is another one.
        for (int rank : new int[] {1, 3}) {
            assertEquals(ProxyResult.TIMEOUT, assertThrows(ProxyException.class,
                    () -> groups.get(rank).barrier(LONG)).result());
        }
        all(rank -> {
            groups.get(rank).barrier(LONG);
            return null;
        });
    }

    /** What is left of a shrink that failed is not taken for the next one, by whichever ranks. */
    @Test
    void shouldShrinkAfterAShrinkThatTimedOut() throws Exception {
        List<GroupSplit> splits = all(rank -> new GroupSplit(ranks.get(rank), mail.get(rank)));
        ProxyException late = assertThrows(ProxyException.class,
                () -> splits.get(0).shrink(BitSet.valueOf(new long[] {0b1000}), Duration.ofMillis(100)));
        assertEquals(ProxyResult.TIMEOUT, late.result());
        assertTrue(late.getMessage().contains("ranks 1, 2 did not come"), late.getMessage());
        for (int rank : new int[] {1, 2}) {
            assertEquals(ProxyResult.TIMEOUT, assertThrows(ProxyException.class,
                    () -> splits.get(rank).shrink(BitSet.valueOf(new long[] {0b1000}), LONG)).result());
        }
        List<GroupSplit.Members> members = all(rank -> rank > 1 ? null
                : splits.get(rank).shrink(BitSet.valueOf(new long[] {0b1100}), LONG));
        List<byte[][]> gathered = all(rank -> rank > 1 ? null
                : members.get(rank).group().allGather(new byte[] {(byte) rank}, LONG));
        assertArrayEquals(new byte[][] {{0}, {1}}, gathered.get(0));
        assertArrayEquals(new byte[][] {{0}, {1}}, gathered.get(1));
    }

    @Test
    void shouldRefuseARoundWhoseNameMakesNoSense() throws Exception {
        ranks.get(0).send(1, StarRounds.NAME_TAG, new byte[3]);
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> new GroupSplit(ranks.get(1), mail.get(1)).shrink(BitSet.valueOf(new long[] {0b1100}), LONG));
        assertEquals(ProxyResult.REMOTE_ERROR, refusal.result());
        assertTrue(refusal.getMessage().contains("rank 0 sent what makes no sense"), refusal.getMessage());
    }

    @Test
    void shouldSayWhichRankOfWhichGroupIsMissed() throws Exception {
        SubGroup odd = halves().get(1);
        Jobs.assertFails(ProxyResult.TIMEOUT, () -> odd.receive(0, 7, Duration.ofMillis(1), _ -> { }),
                "receive from rank 0 of split 1 (color 1) of job ", " (rank 3 of the job), tag 7: nothing came");
    }

    @Test
    void shouldKeepMessagesOfGroupsApart() throws Exception {
        List<SubGroup> groups = all(rank -> new GroupSplit(ranks.get(rank), mail.get(rank)).split(0, 0, LONG).group());
        List<SubGroup> halves = halves();
        ranks.get(0).send(2, 7, new byte[] {1});
        groups.get(0).send(2, 7, new byte[] {2});
        halves.get(0).send(1, 7, new byte[] {3});
        groups.get(2).send(2, 7, new byte[] {4});
        assertArrayEquals(new byte[] {3}, halves.get(2).receive(0, 7, LONG, _ -> { }));
        assertArrayEquals(new byte[] {2}, groups.get(2).receive(0, 7, LONG, _ -> { }));
        assertArrayEquals(new byte[] {4}, groups.get(2).receive(2, 7, LONG, _ -> { }));
        assertArrayEquals(new byte[] {1}, ranks.get(2).receive(0, 7, LONG));
    }

    /** A message may come before the receiver knows of the group, or before it listens. */
    @Test
    void shouldDeliverWhatCameBeforeAListener() throws Exception {
        mail.get(0).send(new GroupMail.Id(0, 0), 2, -1, new byte[] {9});
        mail.get(0).send(new GroupMail.Id(0, 0), 2, 7, new byte[] {8});
        ranks.get(0).send(2, 0, new byte[0]);
        ranks.get(2).receive(0, 0, LONG);
        List<SubGroup> halves = halves();
        halves.get(0).send(1, -1, new byte[] {5});
        ranks.get(0).send(2, 0, new byte[0]);
        ranks.get(2).receive(0, 0, LONG);
        assertArrayEquals(new byte[] {8}, halves.get(2).receive(0, 7, LONG, _ -> { }));
        List<Integer> heard = new ArrayList<>();
        halves.get(2).listen(-1, (rank, blob) -> heard.add(10 * rank + blob[0]));
        assertEquals(List.of(9, 5), heard);
    }

    private static byte[] envelope(int leader, int number, int kind) {
        return ByteBuffer.allocate(GroupMail.HEAD_BYTES).putInt(leader).putInt(number).put((byte) kind).putInt(7)
                .array();
    }

    /** A rank that others send nonsense to fails, and hears of it itself. */
    @ParameterizedTest
    @CsvSource({"-1, 0, makes no sense", "4, 0, makes no sense", "0, 2, of kind 2 of a group that rank 0 leads"})
    void shouldFailOfMailThatMakesNoSense(int leader, int kind, String text) throws Exception {
        CompletableFuture<ProxyException> told = new CompletableFuture<>();
        ranks.get(0).onFailure(told::complete);
        ranks.get(1).send(0, GroupMail.TAG, envelope(leader, 0, kind));
        Jobs.assertSays(Jobs.get(told), ProxyResult.SYSTEM_ERROR, "rank 0 has failed: rank 1 sent mail", text);
        assertEquals(0, mail.get(0).count());
    }

    @Test
    void shouldFailOfMailWithoutAHead() throws Exception {
        CompletableFuture<ProxyException> told = new CompletableFuture<>();
        ranks.get(0).onFailure(told::complete);
        ranks.get(1).send(0, GroupMail.TAG, new byte[GroupMail.HEAD_BYTES - 1]);
        Jobs.assertSays(Jobs.get(told), ProxyResult.SYSTEM_ERROR, "rank 1 sent 12 bytes as mail of a group");
    }

    @Test
    void shouldKeepMailOfSoManyGroupsOnly() throws Exception {
        CompletableFuture<ProxyException> told = new CompletableFuture<>();
        ranks.get(0).onFailure(told::complete);
        for (int number = 0; number < 65; number++) {
            ranks.get(1).send(0, GroupMail.TAG, envelope(1, 100 + number, number % 2));
        }
        Jobs.assertSays(Jobs.get(told), ProxyResult.SYSTEM_ERROR, "more than 64 groups", "the last from rank 1");
        assertEquals(64, mail.get(0).count());
    }

    /** Before the group is known, and later. */
    @Test
    void shouldIgnoreMailOfRanksOutsideOfTheGroup() throws Exception {
        tellAsStrangers();
        SubGroup half = halves().get(2);
        tellAsStrangers();
        assertFalse(half.isAnyGone());
        List<Integer> heard = new ArrayList<>();
        half.listen(7, (rank, blob) -> heard.add(rank));
        assertEquals(List.of(), heard);
    }

    /** Ranks 1 and 3 send mail of the group of 0 and 2, which has come when this returns. */
    private void tellAsStrangers() {
        GroupMail.Id even = new GroupMail.Id(0, 0);
        for (int rank : new int[] {1, 3}) {
            mail.get(rank).send(even, 2, 7, new byte[] {1});
            mail.get(rank).leave(even, 2);
            ranks.get(rank).send(2, 0, new byte[0]);
            ranks.get(2).receive(rank, 0, LONG);
        }
    }

    @Test
    void shouldRefuseANumberThatAGroupHas() throws Exception {
        List<SubGroup> halves = halves();
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> new SubGroup(mail.get(2), new GroupMail.Id(0, 0), "another", 0, 1, 2));
        Jobs.assertSays(refusal, ProxyResult.REMOTE_ERROR, "rank 0 of the job gives a new group the number 0");
        halves.get(0).send(1, 7, new byte[] {5});
        assertArrayEquals(new byte[] {5}, halves.get(2).receive(0, 7, LONG, _ -> { }));
    }

    @Test
    void shouldForgetAGroupThatAllHaveLeft() throws Exception {
        List<SubGroup> halves = halves();
        halves.get(0).leave();
        ProxyException gone = assertThrows(ProxyException.class, () -> halves.get(2).receive(0, 1, LONG, _ -> { }));
        Jobs.assertSays(gone, ProxyResult.REMOTE_ERROR, "rank 0 of split 1 (color 0) of job ",
                " (rank 0 of the job) has left the group");
        assertTrue(halves.get(2).isAnyGone());
        assertEquals(ProxyResult.INVALID_USAGE, assertThrows(ProxyException.class,
                () -> halves.get(0).receive(1, 1, LONG, _ -> { })).result());
        halves.get(2).leave();
        ranks.get(2).send(0, 0, new byte[0]);
        ranks.get(0).receive(2, 0, LONG);
        assertEquals(0, mail.get(0).count());
        assertEquals(0, mail.get(2).count());
        assertEquals(1, mail.get(1).count());
    }

    @Test
    void shouldEndWhatWaitsWhenTheJobFails() throws Exception {
        List<SubGroup> halves = halves();
        CompletableFuture<ProxyException> told = new CompletableFuture<>();
        halves.get(2).onFailure(told::complete);
        ranks.get(1).abort("on purpose");
        assertTrue(told.get(30, TimeUnit.SECONDS).getMessage().contains("on purpose"));
        assertTrue(assertThrows(ProxyException.class, () -> halves.get(0).barrier(LONG)).getMessage()
                .contains("on purpose"));
        halves.forEach(SubGroup::leave);
        assertEquals(0, mail.get(0).count());
    }

    @Test
    void shouldHaveNoGroupForARankWithoutColor() throws Exception {
        List<GroupSplit.Members> members = all(rank -> new GroupSplit(ranks.get(rank), mail.get(rank)).split(
                rank == 0 ? RankRuntime.NO_COLOR : 3, 0, LONG));
        assertNull(members.getFirst());
        assertArrayEquals(new int[] {1, 2, 3}, members.getLast().ranks());
    }
}
