/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static io.proxyrt.bootstrap.Jobs.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BootstrapUnauthenticatedTest {
    private static final int FLOOD = 1500;
    private final WarningLog warnings = new WarningLog();
    private final BootstrapRoot root = open(UniqueId.random(Jobs.loopback()));

    private BootstrapRoot open(UniqueId id) {
        return BootstrapRoot.open(id, 3, BootstrapConfig.defaults().withHandshakeTimeout(Duration.ofMillis(300))
                .withMaxUnauthenticated(8), RawRank.credential(id), warnings);
    }

    @AfterEach
    void close() {
        root.close();
    }

    private void assertGoodRanksAreUnharmed() throws Exception {
        final List<CompletableFuture<Void>> good = Jobs.start(3, rank -> {
            try (Bootstrap bootstrap = Bootstrap.join(root.id(), rank, 3, LONG)) {
                bootstrap.barrier(LONG);
                return null;
            }
        });
        Jobs.getAll(good);
        assertEquals(Optional.empty(), root.failure());
    }

    private void assertWarned(String address, String... parts) {
        final List<String> found = warnings.messages().stream().filter(m -> m.contains(address)).toList();
        assertEquals(1, found.size(), warnings.messages()::toString);
        for (final String part : parts) {
            assertTrue(found.getFirst().contains(part), found.getFirst());
        }
    }

    @Test
    void shouldTurnAwayAnHttpClient() throws Exception {
        try (RawRank http = RawRank.connect(root)) {
            http.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".getBytes());
            assertTrue(http.isClosedByRoot());
            assertWarned("127.0.0.1:" + http.port(), "it sent \"GET /metrics HTT\"");
        }
        assertGoodRanksAreUnharmed();
    }

    @Test
    void shouldTurnAwayGarbage() throws Exception {
        final Random random = new Random(7);
        for (int i = 0; i < 50; i++) {
            final byte[] garbage = new byte[64 + random.nextInt(1000)];
            random.nextBytes(garbage);
            garbage[0] |= 1;
            try (RawRank peer = RawRank.connect(root)) {
                peer.send(garbage);
                assertTrue(peer.isClosedByRoot());
            } catch (IOException e) {
                assertTrue(Pattern.matches(".*(reset|pipe).*", e.getMessage()), e.getMessage());
            }
        }
        assertEquals(1, warnings.messages().size(), warnings.messages()::toString);
        assertGoodRanksAreUnharmed();
    }

    @Test
    void shouldTurnAwayWhoSaysNothing() throws Exception {
        try (RawRank silent = RawRank.connect(root); RawRank slow = RawRank.connect(root)) {
            slow.send(new byte[] {0, 0, 0});
            assertGoodRanksAreUnharmed();
            assertTrue(silent.isClosedByRoot());
            assertTrue(slow.isClosedByRoot());
            assertEquals(1, warnings.messages().size(), warnings.messages()::toString);
            assertTrue(warnings.messages().getFirst().contains("did not say within 300 ms"));
        }
    }

    @Test
    void shouldNotLetSilentConnectionsKeepRanksOut() throws Exception {
        final List<RawRank> silent = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            silent.add(RawRank.connect(root));
        }

        assertGoodRanksAreUnharmed();
        for (final RawRank peer : silent) {
            peer.awaitEnd();
            peer.close();
        }
    }

    @Test
    void shouldLetRanksJoinThroughAFloodOfIdleConnections() throws Exception {
        final List<RawRank> idle = new ArrayList<>();
        final UniqueId id = UniqueId.random(Jobs.loopback());
        try (BootstrapRoot flooded = BootstrapRoot.open(id, 3, BootstrapConfig.defaults()
                .withHandshakeTimeout(Duration.ofHours(1)), RawRank.credential(id), warnings)) {
            for (int i = 0; i < FLOOD; i++) {
                idle.add(RawRank.connect(flooded));
            }
            Jobs.getAll(Jobs.start(3, rank -> {
                try (Bootstrap bootstrap = Bootstrap.join(flooded.id(), rank, 3, LONG)) {
                    bootstrap.barrier(LONG);
                    return null;
                }
            }));
            assertInstanceOf(Message.Busy.class, idle.getFirst().next());
        } finally {
            for (final RawRank each : idle) {
                each.close();
            }
        }
        assertWarned("127.0.0.1:" + idle.getFirst().port(), "the port is flooded by ",
                "unauthenticated connections, at last from 127.0.0.1");
    }

    @Test
    void shouldLetRanksJoinWhileAFloodGoesOn() throws Exception {
        final AtomicBoolean isOver = new AtomicBoolean();
        try (BootstrapRoot flooded = Jobs.root(3)) {
            final CompletableFuture<Integer> flood = Jobs.start(() -> keepFlooding(flooded, isOver));
            try {
                Jobs.getAll(Jobs.start(3, rank -> {
                    Bootstrap.join(flooded.id(), rank, 3, LONG).close();
                    return null;
                }));
            } finally {
                isOver.set(true);
            }
            assertTrue(Jobs.get(flood) > 0);
        }
    }

    /** Holds many connections, each of which dribbles the begin of a frame, and opens more all the time. */
    private static int keepFlooding(BootstrapRoot root, AtomicBoolean isOver) throws IOException {
        final ArrayDeque<RawRank> held = new ArrayDeque<>();
        int count = 0;
        while (!isOver.get()) {
            final RawRank next = RawRank.connect(root);
            held.addLast(next);
            count++;
            try {
                next.send(new byte[] {0, 0, 0});
            } catch (IOException e) {
                next.close();               // the root was faster
            }
            if (held.size() > FLOOD) {
                held.removeFirst().close();
            }
        }
        for (final RawRank each : held) {
            each.close();
        }
        return count;
    }

    @Test
    void shouldBlameAFloodAndNotTheRanksThatCouldNotJoin() throws Exception {
        final List<RawRank> idle = new ArrayList<>();
        try (RawRank first = RawRank.connect(root)) {
            first.prove(RawRank.credential(root.id()), RawRank.hello(0, 3, 500));
            for (int i = 0; i < 20; i++) {
                idle.add(RawRank.connect(root));
            }
            final Message.Failed failed = first.next(Message.Failed.class);

            assertTrue(failed.text().contains("ranks 1, 2 of 3 did not join within 500 ms (joined: 0); the port is "
                    + "flooded by "), failed.text());
        }
        for (final RawRank each : idle) {
            each.close();
        }
    }

    @Test
    void shouldComeAgainWhenTheRootIsBusy() throws Exception {
        try (ServerSocket server = new ServerSocket()) {
            server.bind(Jobs.loopback());
            final UniqueId id = UniqueId.random((InetSocketAddress) server.getLocalSocketAddress());
            Jobs.start(() -> {
                while (true) {
                    try (Socket rank = server.accept()) {
                        rank.getInputStream().read(new byte[256]);
                        rank.getOutputStream().write(MessageCodec.encode(new Message.Busy("it is flooded")).array());
                    }
                }
            });

            Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> Bootstrap.join(id, 0, 1, Duration.ofMillis(400)),
                    "rank 0 was not taken in", "it is flooded", "tries: ");
        }
    }

    @Test
    void shouldTurnAwayAPortScanner() throws Exception {
        RawRank.connect(root).close();
        RawRank.connect(root).reset();

        assertGoodRanksAreUnharmed();
    }

    @Test
    void shouldRefuseARankOfAnotherJob() throws Exception {
        try (RawRank other = RawRank.connect(root)) {
            other.prove(RawRank.credential(UniqueId.random(root.address())), RawRank.hello(1, 3));
            assertInstanceOf(Message.Refused.class, other.next());
            assertTrue(other.isClosedByRoot());
            assertWarned("127.0.0.1:" + other.port(), "another unique id", "rank 1 of 3, pid 4711", "PRXYBOOT");
        }
        assertGoodRanksAreUnharmed();
    }

    @Test
    void shouldNotAnswerAnotherVersion() throws Exception {
        try (RawRank other = RawRank.connect(root)) {
            final ByteBuffer hello = MessageCodec.encode(RawRank.hello(1, 3)).put(4, (byte) 9);
            other.send(hello.array());
            assertTrue(other.isClosedByRoot());
            assertWarned("127.0.0.1:" + other.port(), "version 9");
        }
        assertGoodRanksAreUnharmed();
    }

    @Test
    void shouldNotTakeAnotherMessageBeforeAHello() throws Exception {
        try (RawRank other = RawRank.connect(root)) {
            other.send(new Message.Abort("take this"));
            assertTrue(other.isClosedByRoot());
        }
        assertGoodRanksAreUnharmed();
    }

    @Test
    void shouldNotAllocateWhatAnUnauthenticatedPeerAnnounces() throws Exception {
        try (RawRank other = RawRank.connect(root)) {
            other.send(ByteBuffer.allocate(8).putInt(1 << 20).put((byte) 3).put((byte) 1).putShort((short) 0).array());
            assertTrue(other.isClosedByRoot());
            assertWarned("127.0.0.1:" + other.port(), "1048576 bytes", "256 are allowed");
        }
        assertGoodRanksAreUnharmed();
    }

    @Test
    void shouldFailARankThatSendsAFrameThatIsTooLong() throws Exception {
        try (RawRank bad = RawRank.hello(root, 2, 3)) {
            assertInstanceOf(Message.Accepted.class, bad.next());
            bad.send(ByteBuffer.allocate(8).putInt((1 << 20) + 1).put((byte) 3).put((byte) 10).array());

            final Message.Failed failed = bad.next(Message.Failed.class);
            assertEquals(2, failed.rank());
            assertTrue(bad.isClosedByRoot());
            Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> Bootstrap.join(root.id(), 0, 3, LONG), "rank 2",
                    "broke the protocol", "1048577 bytes");
        }
    }

    @Test
    void shouldFailARankThatSendsWhatIsNotForItToSend() throws Exception {
        for (final Message wrong : List.of(new Message.Ready(), new Message.Failed(1, ProxyResult.TIMEOUT, "x"),
                new Message.Blob(1, 0, new byte[0]), RawRank.hello(2, 3),
                new Message.Part(RoundKind.BARRIER, 0, 1, new byte[0]))) {
            try (BootstrapRoot other = Jobs.root(3); RawRank bad = RawRank.hello(other, 2, 3)) {
                assertInstanceOf(Message.Accepted.class, bad.next());
                bad.send(wrong);
                final Message.Failed failed = bad.next(Message.Failed.class);
                assertTrue(failed.text().contains("broke the protocol"), failed.text());
            }
        }
    }

    @Test
    void shouldFailARankThatSendsToARankThereIsNot() throws Exception {
        try (BootstrapRoot alone = Jobs.root(1); RawRank bad = RawRank.hello(alone, 0, 1)) {
            assertInstanceOf(Message.Ready.class, bad.next(Message.Ready.class));
            bad.send(new Message.Blob(-1, 0, new byte[0]));

            assertTrue(bad.next(Message.Failed.class).text().contains("rank -1 of 1"));
        }
    }
}
