/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.auth.PeerText;
import static io.proxyrt.bootstrap.Jobs.LONG;
import static io.proxyrt.bootstrap.Jobs.assertFails;
import static io.proxyrt.bootstrap.Jobs.assertSays;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BootstrapFailureTest {
    private static final BootstrapConfig HASTY = BootstrapConfig.defaults()
            .withHeartbeat(Duration.ofMillis(100), Duration.ofMillis(1000));

    /** Ranks 0 to n-2, each of which has a listener, and a raw rank n-1. */
    private record Group(List<Bootstrap> good, List<CompletableFuture<ProxyException>> told, RawRank bad)
            implements AutoCloseable {
        static Group join(BootstrapRoot root, int nRanks) throws Exception {
            final List<CompletableFuture<Bootstrap>> joins = Jobs.start(nRanks - 1,
                    rank -> Bootstrap.join(root.id(), rank, nRanks, LONG));
            final RawRank bad = RawRank.hello(root, nRanks - 1, nRanks);
            bad.next(Message.Ready.class);
            final List<Bootstrap> good = Jobs.getAll(joins);
            return new Group(good, good.stream().map(Group::listen).toList(), bad);
        }

        private static CompletableFuture<ProxyException> listen(Bootstrap bootstrap) {
            final CompletableFuture<ProxyException> told = new CompletableFuture<>();
            bootstrap.onFailure(e -> {
                assertTrue(Thread.currentThread().getName().equals("proxy-bootstrap-" + bootstrap.rank()));
                assertTrue(told.complete(e));
            });
            return told;
        }

        List<CompletableFuture<byte[][]>> gatherAll() {
            return Jobs.start(good.size(), rank -> good.get(rank).allGather(new byte[1], LONG));
        }

        void assertAllFail(List<CompletableFuture<byte[][]>> waiters, String... parts) throws Exception {
            for (int rank = 0; rank < good.size(); rank++) {
                final Bootstrap bootstrap = good.get(rank);
                assertSays(Jobs.get(told.get(rank)), ProxyResult.REMOTE_ERROR, parts);
                final CompletableFuture<byte[][]> waiter = waiters.get(rank);
                assertFails(ProxyResult.REMOTE_ERROR, () -> Jobs.get(waiter), parts);
                assertFails(ProxyResult.REMOTE_ERROR, () -> bootstrap.barrier(LONG), parts);
                assertFails(ProxyResult.REMOTE_ERROR, () -> bootstrap.receive(0, 0, LONG), parts);
                assertFails(ProxyResult.REMOTE_ERROR, () -> bootstrap.send(0, 0, new byte[0]), parts);
                assertSays(bootstrap.failure().orElseThrow(), ProxyResult.REMOTE_ERROR, parts);
            }
        }

        @Override
        public void close() throws IOException {
            good.forEach(Bootstrap::close);
            bad.close();
        }
    }

    @Test
    void shouldNameAKilledRankToAllOthersAtOnce() throws Exception {
        try (BootstrapRoot root = Jobs.root(4); Group group = Group.join(root, 4)) {
            final List<CompletableFuture<byte[][]>> waiters = group.gatherAll();
            final long startNs = System.nanoTime();
            group.bad().close();

            group.assertAllFail(waiters, "rank 3 (pid 4711 at 127.0.0.1:" + group.bad().port() + ") died",
                    "connection closed without goodbye");
            assertTrue(System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(2));
        }
    }

    @Test
    void shouldNameARankWhoseConnectionWasReset() throws Exception {
        try (BootstrapRoot root = Jobs.root(3); Group group = Group.join(root, 3)) {
            final List<CompletableFuture<byte[][]>> waiters = group.gatherAll();
            group.bad().reset();

            group.assertAllFail(waiters, "rank 2", "died", "reset");
        }
    }

    @Test
    void shouldNameARankThatFallsSilent() throws Exception {
        try (BootstrapRoot root = Jobs.root(3, HASTY); Group group = Group.join(root, 3)) {
            final List<CompletableFuture<byte[][]>> waiters = group.gatherAll();

            group.assertAllFail(waiters, "rank 2", "died: silent for 1 s");
            assertEquals(2, group.bad().next(Message.Failed.class).rank());
            assertTrue(group.bad().isClosedByRoot());
        }
    }

    @Test
    void shouldNotFailWhoOnlySendsHeartbeats() throws Exception {
        try (BootstrapRoot root = Jobs.root(2, HASTY)) {
            final List<Bootstrap> ranks = Jobs.join(root, 2);

            assertFails(ProxyResult.TIMEOUT, () -> ranks.get(0).barrier(Duration.ofMillis(2500)), "rank 1");
            assertEquals(Optional.empty(), root.failure());
            ranks.forEach(Bootstrap::close);
        }
    }

    @Test
    void shouldTellTheReasonOfAnAbort() throws Exception {
        try (BootstrapRoot root = Jobs.root(5)) {
            final List<Bootstrap> ranks = Jobs.join(root, 5);
            final List<CompletableFuture<ProxyException>> told = ranks.stream().map(Group::listen).toList();
            ranks.get(2).abort("out of\nGPU memory");

            for (final int rank : new int[] {0, 1, 3, 4}) {
                assertSays(Jobs.get(told.get(rank)), ProxyResult.REMOTE_ERROR,
                        "rank 2 (pid " + ProcessHandle.current().pid(), "aborted: out of GPU memory");
            }
            assertFails(ProxyResult.INVALID_USAGE, () -> ranks.get(2).barrier(LONG),
                    "this rank, 2, aborted: out of GPU");
            assertFalse(told.get(2).isDone());
            ranks.forEach(Bootstrap::close);
        }
    }

    @Test
    void shouldNotTakeAGoodbyeForADeathHoweverTheConnectionEnds() throws Exception {
        final BootstrapConfig chatty = BootstrapConfig.defaults()
                .withHeartbeat(Duration.ofMillis(1), Duration.ofSeconds(10));
        for (int i = 0; i < 40; i++) {
            try (BootstrapRoot root = Jobs.root(2, chatty); Group group = Group.join(root, 2)) {
                group.bad().send(new Message.Goodbye());
                group.bad().close();

                assertFails(ProxyResult.REMOTE_ERROR, () -> group.good().getFirst().receive(1, 0, LONG),
                        "rank 1 has closed");
                assertEquals(Optional.empty(), root.failure());
            }
        }
    }

    @Test
    void shouldHearAnAbortHoweverTheConnectionEnds() throws Exception {
        final BootstrapConfig chatty = BootstrapConfig.defaults()
                .withHeartbeat(Duration.ofMillis(1), Duration.ofSeconds(10));
        for (int i = 0; i < 40; i++) {
            try (BootstrapRoot root = Jobs.root(2, chatty); Group group = Group.join(root, 2)) {
                group.bad().send(new Message.Abort("why"));
                group.bad().close();

                assertFails(ProxyResult.REMOTE_ERROR, () -> group.good().getFirst().receive(1, 0, LONG), "rank 1",
                        "aborted: why");
            }
        }
    }

    @Test
    void shouldTellAListenerThatComesLate() throws Exception {
        try (BootstrapRoot root = Jobs.root(2); Group group = Group.join(root, 2)) {
            group.bad().close();
            Jobs.get(group.told().getFirst());
            final CompletableFuture<ProxyException> late = new CompletableFuture<>();
            group.good().getFirst().onFailure(late::complete);

            assertTrue(late.isDone());
        }
    }

    @Test
    void shouldLetAListenerAbortAndCloseButNotWait() throws Exception {
        try (BootstrapRoot root = Jobs.root(2); Group group = Group.join(root, 2)) {
            final Bootstrap bootstrap = group.good().getFirst();
            final CompletableFuture<ProxyException> refused = new CompletableFuture<>();
            bootstrap.onFailure(e -> {
                try {
                    bootstrap.barrier(LONG);
                } catch (ProxyException own) {
                    refused.complete(own);
                }
                bootstrap.abort("me too");
                bootstrap.close();
            });
            group.bad().close();

            assertSays(Jobs.get(refused), ProxyResult.INVALID_USAGE, "listener");
        }
    }

    @Test
    void shouldTellOnlyTheFirstOfManyFailures() throws Exception {
        try (BootstrapRoot root = Jobs.root(4)) {
            final List<Bootstrap> ranks = Jobs.join(root, 4);
            final List<CompletableFuture<ProxyException>> told = ranks.stream().map(Group::listen).toList();
            ranks.get(3).abort("first");
            Jobs.get(told.get(0));
            ranks.get(2).abort("second");
            Jobs.getAll(told.subList(0, 2));

            for (final int rank : new int[] {0, 1}) {
                assertSays(ranks.get(rank).failure().orElseThrow(), ProxyResult.REMOTE_ERROR, "first");
            }
            ranks.forEach(Bootstrap::close);
        }
    }

    @Test
    void shouldTellAllRanksWhenTheRootClosesUnderThem() throws Exception {
        try (BootstrapRoot root = Jobs.root(3)) {
            final List<Bootstrap> ranks = Jobs.join(root, 3);
            final List<CompletableFuture<ProxyException>> told = ranks.stream().map(Group::listen).toList();
            final CompletableFuture<Boolean> hasRoot = new CompletableFuture<>();
            ranks.getFirst().onFailure(_ -> hasRoot.complete(ranks.getFirst().hasRoot()));
            root.close(Duration.ofMillis(50));
            assertFalse(Jobs.get(hasRoot), "a rank that was told so does not rely on the root");

            for (final ProxyException e : Jobs.getAll(told)) {
                assertSays(e, ProxyResult.REMOTE_ERROR, "bootstrap root at " + PeerText.address(root.address())
                        + " is gone", "closed while ranks 0, 1, 2 were still joined");
            }
            ranks.forEach(Bootstrap::close);
        }
    }

    @Test
    void shouldLetRanksLeaveWhileTheRootCloses() throws Exception {
        try (BootstrapRoot root = Jobs.root(3)) {
            final List<Bootstrap> ranks = Jobs.join(root, 3);
            final CompletableFuture<Void> closed = Jobs.start(() -> {
                root.close(LONG);
                return null;
            });
            ranks.forEach(Bootstrap::close);
            Jobs.get(closed);

            assertEquals(Optional.empty(), root.failure());
            ranks.forEach(rank -> assertEquals(Optional.empty(), rank.failure()));
        }
    }

    /** A root that accepts the one rank, and then does what it is told. */
    private static CompletableFuture<SocketChannel> rawRoot(ServerSocketChannel server, UniqueId id,
            Message... messages) {
        return Jobs.start(() -> {
            final RawRoot root = RawRoot.accept(server, RawRank.credential(id));
            root.send(RawRoot.accepted(100, 500, 1 << 20, 1 << 20));
            root.send(messages[0]);
            root.next(Message.Heartbeat.class);     // what comes before there is a thread is the joining's trouble
            for (int i = 1; i < messages.length; i++) {
                root.send(messages[i]);
            }
            return root.channel();
        });
    }

    private static void assertRootFails(boolean closes, String what, Message... messages) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(Jobs.loopback());
            final InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
            final UniqueId id = UniqueId.random(address);
            final CompletableFuture<SocketChannel> root = rawRoot(server, id, messages);
            try (Bootstrap bootstrap = Bootstrap.join(id, 0, 2, LONG)) {
                final CompletableFuture<ProxyException> told = new CompletableFuture<>();
                bootstrap.onFailure(told::complete);
                final CompletableFuture<Boolean> hasRoot = new CompletableFuture<>();
                bootstrap.onFailure(_ -> hasRoot.complete(bootstrap.hasRoot()));
                final SocketChannel channel = Jobs.get(root);
                if (closes) {
                    channel.close();
                }
                assertFails(ProxyResult.REMOTE_ERROR, () -> bootstrap.allGather(new byte[0], LONG),
                        "bootstrap root at " + PeerText.address(address) + " is gone", what);
                assertSays(Jobs.get(told), ProxyResult.REMOTE_ERROR, what);
                assertFalse(Jobs.get(hasRoot), "a rank that was told so does not rely on the root");
                channel.close();
            }
        }
    }

    @Test
    void shouldNoticeThatTheRootDied() throws Exception {
        assertRootFails(true, "", new Message.Ready());
    }

    @Test
    void shouldNoticeThatTheRootFellSilent() throws Exception {
        assertRootFails(false, "silent for 500 ms", new Message.Ready());
    }

    @Test
    void shouldNotTrustTheRoot() throws Exception {
        for (final Message wrong : List.of(new Message.Left(2, 1), new Message.Left(1, 2),
                new Message.Left(0, 0), Jobs.gathered(0, -1, new byte[4]),
                Jobs.gathered(0, 0, new byte[0]), Jobs.gathered(0, 1, new byte[8]),
                Jobs.gathered(0, 0, new byte[] {0, 0, 0, 5, 1}),
                Jobs.gathered(0, 0, new byte[] {-1, 0, 0, 0}), new Message.Goodbye(),
                new Message.Blob(9, 0, new byte[0]))) {
            assertRootFails(false, "broke the protocol", new Message.Ready(), wrong);
        }
        final Message above = new TreeMessage.Above(1, InetAddress.getLoopbackAddress().getAddress());
        assertRootFails(false, "broke the protocol with a second rank above", new Message.Ready(), above, above);
    }

    @Test
    void shouldSayNothingBehindItsGoodbye() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open();
                ServerSocketChannel above = ServerSocketChannel.open()) {
            server.bind(Jobs.loopback());
            above.bind(Jobs.loopback());
            final UniqueId id = UniqueId.random((InetSocketAddress) server.getLocalAddress());
            final CompletableFuture<Bootstrap> join = Jobs.start(() -> Bootstrap.join(id, 1, 8, LONG));
            final RawRoot root = RawRoot.accept(server, RawRank.credential(id));
            root.send(new Message.Accepted(100, 1 << 20, 1 << 20, new LinkTerms(60_000, 1000), 1, Origin.own()));
            root.send(new Message.Ready());
            root.send(new TreeMessage.Above(above.socket().getLocalPort(),
                    InetAddress.getLoopbackAddress().getAddress()));
            final Bootstrap bootstrap = Jobs.get(join);
            final CompletableFuture<byte[][]> waiter = Jobs.start(() -> bootstrap.allGather(new byte[0], LONG));
            root.next(Message.Part.class);
            final CompletableFuture<Void> closed = Jobs.start(() -> {
                bootstrap.close();
                return null;
            });
            root.awaitEnd();
            bootstrap.sendAnyway(0, 1, new byte[1]);
            bootstrap.giveUp("it is too late for that");
            root.send(Jobs.gathered(0, 0, new byte[8 * Integer.BYTES]));
            root.send(new Message.RoundDone(RoundKind.ALL_GATHER, 0));
            root.send(new TreeMessage.Fan(2));

            assertFails(ProxyResult.INVALID_USAGE, () -> Jobs.get(waiter), "is closed");
            Jobs.get(closed);
            server.configureBlocking(false);
            assertNull(server.accept(), "it came back to say more");
            root.channel().close();
        }
    }

    @Test
    void shouldNotTakeLimitsThatMakeNoSense() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(Jobs.loopback());
            final UniqueId id = UniqueId.random((InetSocketAddress) server.getLocalAddress());
            Jobs.start(() -> {
                while (true) {
                    RawRoot.accept(server, RawRank.credential(id))
                            .send(RawRoot.accepted(0, 1, Integer.MAX_VALUE, 0));
                }
            });

            assertFails(ProxyResult.REMOTE_ERROR, () -> Bootstrap.join(id, 0, 1, Duration.ofMillis(300)),
                    "was not taken in", "limits that make no sense");
        }
    }

    @Test
    void shouldGiveUpWaitingForARootThatDoesNotAnswer() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(Jobs.loopback());
            final UniqueId id = UniqueId.random((InetSocketAddress) server.getLocalAddress());
            final CompletableFuture<SocketChannel> root = rawRoot(server, id, new Message.Ready());
            try (Bootstrap bootstrap = Bootstrap.join(id, 0, 2, LONG)) {
                final SocketChannel channel = Jobs.get(root);
                Jobs.start(() -> {
                    while (channel.isOpen()) {
                        channel.write(MessageCodec.encode(new Message.Heartbeat(0)));
                        channel.read(ByteBuffer.allocate(1000));
                    }
                    return null;
                });

                assertFails(ProxyResult.TIMEOUT, () -> bootstrap.barrier(Duration.ofMillis(100)), "barrier 0",
                        "no answer", PeerText.address(id.address()));
                channel.close();
            }
        }
    }

    @Test
    void shouldFailARankThatDoesNotReceiveRatherThanExhaustMemory() throws Exception {
        final BootstrapConfig small = BootstrapConfig.defaults().withLimits(64 << 10, 128 << 10);
        try (BootstrapRoot root = Jobs.root(2, small)) {
            final List<Bootstrap> ranks = Jobs.join(root, 2);
            final List<CompletableFuture<ProxyException>> told = ranks.stream().map(Group::listen).toList();
            assertFails(ProxyResult.REMOTE_ERROR, () -> {
                while (true) {
                    try {
                        ranks.get(0).send(1, 0, new byte[60 << 10]);
                    } catch (ProxyException e) {
                        if (e.result() != ProxyResult.SYSTEM_ERROR) {
                            throw e;
                        }
                        assertTrue(e.getMessage().contains("sends faster"), e.getMessage());
                    }
                }
            }, "rank 1", "131072 bytes have come that were not received", "from rank 0 with tag 0");
            assertSays(Jobs.get(told.get(1)), ProxyResult.SYSTEM_ERROR, "rank 1 has failed", "were not received");
            ranks.forEach(Bootstrap::close);
        }
    }

    @Test
    void shouldFailARankThatDoesNotReadRatherThanExhaustMemory() throws Exception {
        final BootstrapConfig small = BootstrapConfig.defaults().withLimits(64 << 10, 128 << 10);
        try (BootstrapRoot root = Jobs.root(2, small); Group group = Group.join(root, 2)) {
            assertFails(ProxyResult.REMOTE_ERROR, () -> {
                while (true) {
                    try {
                        group.good().getFirst().send(1, 0, new byte[60 << 10]);
                    } catch (ProxyException e) {
                        if (e.result() != ProxyResult.SYSTEM_ERROR) {
                            throw e;
                        }
                    }
                }
            }, "rank 1", "died: it does not read");
        }
    }
}
