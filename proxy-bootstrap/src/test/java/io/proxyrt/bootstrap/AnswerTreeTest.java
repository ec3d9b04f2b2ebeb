/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static io.proxyrt.bootstrap.Jobs.LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerTreeTest {
    /** What three ranks gather that each tell their number. */
    private static final byte[][] ALL = {{0}, {1}, {2}};
    private static final int FAN = 2;
    private static final long PART_MILLIS = LONG.toMillis();
    private BootstrapRoot root;
    private final List<Bootstrap> good = new ArrayList<>();

    private void open(int nRanks, int fan) {
        final UniqueId id = UniqueId.random(Jobs.loopback());
        root = BootstrapRoot.open(id, nRanks, BootstrapConfig.defaults(), RawRank.credential(id), BootstrapRoot.LOG,
                fan);
    }

    @AfterEach
    void close() throws Exception {
        Jobs.getAll(Jobs.start(good.size(), rank -> {
            good.get(rank).close();
            return null;
        }));
        root.close();
    }

    static IntStream sizes() {
        return IntStream.concat(IntStream.rangeClosed(1, 17), IntStream.of(64));
    }

    private static byte[] blob(int rank, int round) {
        final Random random = new Random(100 * rank + round);
        final byte[] blob = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(30_000)];
        random.nextBytes(blob);
        return blob;
    }

    private static void assertRounds(Bootstrap rank, int rounds) {
        for (int round = 0; round < rounds; round++) {
            final byte[][] all = rank.allGather(blob(rank.rank(), round), LONG);
            for (int each = 0; each < all.length; each++) {
                assertArrayEquals(blob(each, round), all[each]);
            }
            rank.barrier(LONG);
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldGatherTheBlobsOfAllRanks(int nRanks) throws Exception {
        open(nRanks, FAN);
        good.addAll(Jobs.join(root, nRanks));

        Jobs.getAll(Jobs.start(nRanks, rank -> {
            assertRounds(good.get(rank), 6);
            return null;
        }));
    }

    @ParameterizedTest
    @CsvSource({"1, 6", "3, 40", "16, 100"})
    void shouldGatherWhateverTheFan(int fan, int nRanks) throws Exception {
        open(nRanks, fan);
        good.addAll(Jobs.join(root, nRanks));

        Jobs.getAll(Jobs.start(nRanks, rank -> {
            assertRounds(good.get(rank), 4);
            return null;
        }));
    }

    /** Rank 0 of three, and rank 2 below it. */
    private final class RawAbove implements AutoCloseable {
        private final RawRank raw;
        private final Credential credential;
        private final ServerSocketChannel door = ServerSocketChannel.open();
        private RawRoot below;

        RawAbove(int nRanks) throws Exception {
            final List<CompletableFuture<Bootstrap>> joins = Jobs.start(nRanks - 1,
                    rank -> Bootstrap.join(root.id(), rank + 1, nRanks, LONG));
            final Credential ofJob = RawRank.credential(root.id());
            raw = RawRank.connect(root);
            raw.prove(ofJob, RawRank.hello(0, nRanks));
            final Message.Welcome welcome = (Message.Welcome) raw.next();
            credential = ofJob.ofTree(ofJob.job(welcome.salt()));
            assertEquals(FAN, raw.next(TreeMessage.Fan.class).fan());
            good.addAll(Jobs.getAll(joins));
        }

        void openDoor() throws IOException {
            door.bind(Jobs.loopback());
            raw.send(new TreeMessage.Door(door.socket().getLocalPort()));
        }

        void awaitBelow(Credential mine) throws IOException {
            below = RawRoot.accept(door, mine);
        }

        /** Takes part, and returns the one frame with the blobs. */
        Message.Gathered gather(int sequence) throws IOException {
            raw.send(new Message.Part(RoundKind.ALL_GATHER, sequence, PART_MILLIS, new byte[] {0}));
            final Message.Gathered all = raw.next(Message.Gathered.class);
            assertEquals(sequence, raw.next(Message.RoundDone.class).sequence());
            return all;
        }

        @Override
        public void close() throws IOException {
            raw.send(new Message.Goodbye());
            raw.close();
            door.close();
        }
    }

    private List<CompletableFuture<byte[][]>> gatherAll() {
        return Jobs.start(good.size(), i -> good.get(i).allGather(new byte[] {(byte) good.get(i).rank()}, LONG));
    }

    @Test
    void shouldTakeAnswersOfTheRankAbove() throws Exception {
        open(3, FAN);
        try (RawAbove above = new RawAbove(3)) {
            above.openDoor();
            above.awaitBelow(above.credential);
            final List<CompletableFuture<byte[][]>> waiters = gatherAll();
            final Message.Gathered all = above.gather(0);
            final byte[] others = all.tail();
            others[others.length - 1] = 77;
            above.below.send(Jobs.gathered(0, 0, others));
            above.below.send(new Message.RoundDone(RoundKind.ALL_GATHER, 0));

            assertArrayEquals(ALL, Jobs.get(waiters.get(0)));
            assertArrayEquals(new byte[][] {{0}, {1}, {77}}, Jobs.get(waiters.get(1)),
                    "rank 2 has what the rank above it sent");
        }
    }

    @Test
    void shouldGetFromTheRootWhatTheRankAboveDoesNotPassOn() throws Exception {
        open(3, FAN);
        try (RawAbove above = new RawAbove(3)) {
            above.openDoor();
            above.awaitBelow(above.credential);
            final List<CompletableFuture<byte[][]>> waiters = gatherAll();
            final long beginNs = System.nanoTime();
            above.below.send(above.gather(0));

            assertArrayEquals(ALL, Jobs.get(waiters.get(1)));
            assertTrue(System.nanoTime() - beginNs >= Answers.PATIENCE_NS / 2);
            final List<CompletableFuture<byte[][]>> next = gatherAll();
            above.gather(1);
            assertArrayEquals(ALL, Jobs.get(next.get(1)));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, Long.MAX_VALUE})
    void shouldGetFromTheRootWhatTheRankAboveSaysToHavePassedOn(long sequence) throws Exception {
        open(3, FAN);
        try (RawAbove above = new RawAbove(3)) {
            above.openDoor();
            above.awaitBelow(above.credential);
            final List<CompletableFuture<byte[][]>> waiters = gatherAll();
            above.gather(0);
            above.below.send(new Message.RoundDone(RoundKind.ALL_GATHER, sequence));

            assertArrayEquals(ALL, Jobs.get(waiters.get(1)));
            final List<CompletableFuture<byte[][]>> next = gatherAll();
            above.gather(1);
            assertArrayEquals(ALL, Jobs.get(next.get(1)));
        }
    }

    @Test
    void shouldGetFromTheRootWhatARankThatLeavesDoesNotPassOn() throws Exception {
        open(3, FAN);
        final List<CompletableFuture<byte[][]>> waiters;
        try (RawAbove above = new RawAbove(3)) {
            above.openDoor();
            above.awaitBelow(above.credential);
            waiters = gatherAll();
            above.gather(0);
        }

        for (final byte[][] all : Jobs.getAll(waiters)) {
            assertArrayEquals(ALL, all);
        }
        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> good.getFirst().barrier(LONG), "rank 0 closed the bootstrap");
        assertEquals(Optional.empty(), root.failure());
    }

    @Test
    void shouldNotTakeAnswersOfWhatIsNotTheRankAbove() throws Exception {
        open(3, FAN);
        try (RawAbove above = new RawAbove(3)) {
            above.openDoor();
            above.awaitBelow(RawRank.credential(root.id()));
            final List<CompletableFuture<byte[][]>> waiters = gatherAll();
            final Message.Gathered all = above.gather(0);
            final byte[] others = all.tail();
            others[others.length - 1] = 77;
            above.below.send(Jobs.gathered(0, 0, others));

            assertArrayEquals(ALL, Jobs.get(waiters.get(1)));
        }
    }

    @Test
    void shouldDropARankAboveThatSendsAnythingElse() throws Exception {
        open(3, FAN);
        try (RawAbove above = new RawAbove(3)) {
            above.openDoor();
            above.awaitBelow(above.credential);
            above.below.send(new Message.Failed(1, ProxyResult.REMOTE_ERROR, "it is over"));
            final List<CompletableFuture<byte[][]>> waiters = gatherAll();
            above.gather(0);

            assertArrayEquals(ALL, Jobs.get(waiters.get(1)));
        }
    }

    @Test
    void shouldLetInOnlyTheRanksBelow() throws Exception {
        open(3, FAN);
        final List<CompletableFuture<Bootstrap>> joins = Jobs.start(2,
                rank -> Bootstrap.join(root.id(), rank, 3, LONG));
        final Credential ofJob = RawRank.credential(root.id());
        try (RawRank raw = RawRank.connect(root)) {
            raw.prove(ofJob, RawRank.hello(2, 3));
            final Credential ofTree = ofJob.ofTree(ofJob.job(((Message.Welcome) raw.next()).salt()));
            final TreeMessage.Above above = raw.next(TreeMessage.Above.class);
            final InetSocketAddress door = new InetSocketAddress(InetAddress.getByAddress(above.address()),
                    above.port());
            good.addAll(Jobs.getAll(joins));
            final List<CompletableFuture<byte[][]>> waiters = gatherAll();
            raw.send(new Message.Part(RoundKind.ALL_GATHER, 0, PART_MILLIS, new byte[] {2}));
            assertRefused(door, ofJob, 2);
            assertRefused(door, ofTree, 1);
            try (RawRank noise = RawRank.connect(door)) {
                noise.send("GET / HTTP/1.1\r\n\r\n".getBytes());
                noise.awaitEnd();
            }
            try (RawRank below = RawRank.connect(door)) {
                below.prove(ofTree, RawRank.hello(2, 3));
                below.next(Message.Welcome.class);
                assertEquals(0, below.next(Message.Gathered.class).sequence());
                assertEquals(0, below.next(Message.RoundDone.class).sequence());
            }
            raw.send(new TreeMessage.Got(0));
            assertArrayEquals(ALL, Jobs.get(waiters.get(0)));
            raw.send(new Message.Goodbye());
        }
    }

    @Test
    void shouldLetARankBelowInThroughAFlood() throws Exception {
        open(3, FAN);
        final List<CompletableFuture<Bootstrap>> joins = Jobs.start(2,
                rank -> Bootstrap.join(root.id(), rank, 3, LONG));
        final Credential ofJob = RawRank.credential(root.id());
        final List<RawRank> flood = new ArrayList<>();
        try (RawRank raw = RawRank.connect(root)) {
            raw.prove(ofJob, RawRank.hello(2, 3));
            final Credential ofTree = ofJob.ofTree(ofJob.job(((Message.Welcome) raw.next()).salt()));
            final TreeMessage.Above above = raw.next(TreeMessage.Above.class);
            final InetSocketAddress door = new InetSocketAddress(InetAddress.getByAddress(above.address()),
                    above.port());
            good.addAll(Jobs.getAll(joins));
            for (int i = 0; i < 3 * AnswerTree.MAX_UNAUTHENTICATED; i++) {
                flood.add(RawRank.connect(door));
            }
            try (RawRank below = RawRank.connect(door)) {
                below.prove(ofTree, RawRank.hello(2, 3));
                below.next(Message.Welcome.class);
                flood.getFirst().awaitEnd();
                final List<CompletableFuture<byte[][]>> waiters = gatherAll();
                raw.send(new Message.Part(RoundKind.ALL_GATHER, 0, PART_MILLIS, new byte[] {2}));
                assertEquals(0, below.next(Message.RoundDone.class).sequence());
                assertArrayEquals(ALL, Jobs.get(waiters.get(0)));
            }
            raw.send(new Message.Goodbye());
        } finally {
            for (final RawRank each : flood) {
                each.close();
            }
        }
    }

    private static void assertRefused(InetSocketAddress door, Credential credential, int rank) throws IOException {
        try (RawRank other = RawRank.connect(door)) {
            other.prove(credential, RawRank.hello(rank, 3));
            other.awaitEnd();
        }
    }

    enum Phase { BEFORE_ITS_DOOR, BEHIND_ITS_DOOR, CONNECTED, WHILE_IT_PASSES_ON }

    @ParameterizedTest
    @EnumSource
    void shouldNameARankThatDiesAboveOthers(Phase phase) throws Exception {
        open(6, FAN);
        final RawAbove above = new RawAbove(6);
        final List<CompletableFuture<byte[][]>> waiters = gatherAll();
        if (phase.compareTo(Phase.BEHIND_ITS_DOOR) >= 0) {
            above.openDoor();
        }
        if (phase.compareTo(Phase.CONNECTED) >= 0) {
            above.awaitBelow(above.credential);
        }
        if (phase == Phase.WHILE_IT_PASSES_ON) {
            above.below.send(above.gather(0));
        }
        above.raw.close();
        above.door.close();

        final String[] what = {"rank 0 (pid 4711 at 127.0.0.1:", "died"};
        for (final Bootstrap each : good) {
            final CompletableFuture<byte[][]> waiter = waiters.get(each.rank() - 1);
            if (phase == Phase.WHILE_IT_PASSES_ON) {
                assertArrayEquals(new byte[][] {{0}, {1}, {2}, {3}, {4}, {5}}, Jobs.get(waiter),
                        "a round that is complete is so for all ranks");
            } else {
                Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> Jobs.get(waiter), what);
            }
            Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> each.barrier(LONG), what);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 70000", "0, 0", "1, 5000"})
    void shouldNotTakeADoorThatMakesNoSense(int rank, int port) throws Exception {
        open(3, FAN);
        final List<CompletableFuture<Bootstrap>> joins = Jobs.start(2,
                i -> Bootstrap.join(root.id(), i < rank ? i : i + 1, 3, LONG));
        try (RawRank raw = RawRank.hello(root, rank, 3)) {
            raw.next(Message.Ready.class);
            good.addAll(Jobs.getAll(joins));
            raw.send(new TreeMessage.Door(port));

            Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> good.getFirst().barrier(LONG),
                    "rank " + rank, "broke the protocol: port " + port + " for ranks below it");
        }
    }
}
