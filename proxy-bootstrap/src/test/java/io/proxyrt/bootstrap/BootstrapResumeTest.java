/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static io.proxyrt.bootstrap.Jobs.LONG;
import static io.proxyrt.bootstrap.Jobs.assertFails;
import static io.proxyrt.bootstrap.Jobs.assertSays;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ranks whose connections to the root break, and come back. */
class BootstrapResumeTest {
    private static final int RANKS = 3;
    private final List<Bootstrap> ranks = new ArrayList<>();
    private BootstrapRoot root;
    private Cable cable;

    @BeforeEach
    void open() throws IOException {
        root = Jobs.root(RANKS, BootstrapConfig.defaults()
                .withHeartbeat(Duration.ofMillis(50), Duration.ofSeconds(20)));
        cable = new Cable(root.address());
    }

    @AfterEach
    void close() throws IOException {
        ranks.forEach(Bootstrap::close);
        root.close();
        cable.close();
    }

    private void join(String resume) throws Exception {
        final ProxyConfig settings = ProxyConfig.builder().environment(Map.of()).set("net.socket.resume", resume)
                .build();
        ranks.addAll(Jobs.getAll(Jobs.start(RANKS, rank ->
                Bootstrap.join(root.id().at(cable.address()), rank, RANKS, LONG, settings))));
    }

    /** Rounds and messages of any size, until as many connections as this were made. */
    private CompletableFuture<Integer> talk(Bootstrap rank, int connections) {
        return Jobs.start(() -> {
            int round = 0;
            for (boolean isLast = false; !isLast; round++) {
                final byte[] mine = blob(rank.rank(), round);
                // What rank 0 says ends it for all alike.
                mine[0] = (byte) (rank.rank() == 0 && cable.connections() >= connections ? 1 : 0);
                final int next = (rank.rank() + 1) % RANKS;
                rank.send(next, round, blob(rank.rank(), round + 1));
                final byte[][] all = rank.allGather(mine, LONG);
                for (int i = 0; i < RANKS; i++) {
                    final byte[] expected = blob(i, round);
                    expected[0] = all[i][0];
                    assertArrayEquals(expected, all[i]);
                }
                final int previous = (rank.rank() + RANKS - 1) % RANKS;
                assertArrayEquals(blob(previous, round + 1), rank.receive(previous, round, LONG));
                isLast = all[0][0] == 1;
            }
            return round;
        });
    }

    private static byte[] blob(int rank, int round) {
        final byte[] blob = new byte[1 + new Random(31L * round + rank).nextInt(round % 8 == 0 ? 600_000 : 2000)];
        Arrays.fill(blob, 1, blob.length, (byte) (rank + 7 * round));
        return blob;
    }

    @Test
    void shouldLoseNothingHoweverOftenAllConnectionsAreReset() throws Exception {
        join("20s");
        final int connections = RANKS + 60;
        final List<CompletableFuture<Integer>> talks = ranks.stream().map(rank -> talk(rank, connections)).toList();
        final Random random = new Random(5);
        while (cable.connections() < connections) {
            final int before = cable.connections();
            cable.reset();
            for (long i = random.nextInt(1 << 20); i > 0 || cable.connections() == before; i--) {
                Thread.onSpinWait();
            }
        }
        Jobs.getAll(talks);

        assertEquals(Optional.empty(), root.failure());
        ranks.forEach(rank -> assertEquals(Optional.empty(), rank.failure()));
    }

    @Test
    void shouldGoOnWhenConnectionsWereRefusedForAWhile() throws Exception {
        join("20s");
        cable.down();
        final List<CompletableFuture<Integer>> talks = ranks.stream().map(rank -> talk(rank, 2 * RANKS)).toList();
        assertFails(ProxyResult.TIMEOUT, () -> ranks.getFirst().receive(1, -1, Duration.ofMillis(500)), "500 ms");
        cable.up();
        Jobs.getAll(talks);

        assertEquals(Optional.empty(), root.failure());
    }

    @Test
    void shouldLeaveInPeaceWhileConnectionsAreRefused() throws Exception {
        join("20s");
        cable.down();
        final List<CompletableFuture<Void>> closing = Jobs.start(RANKS, rank -> {
            ranks.get(rank).close();
            return null;
        });
        assertFails(ProxyResult.INVALID_USAGE, () -> {
            while (true) {
                ranks.getFirst().send(1, 0, new byte[0]);
            }
        }, "closed");
        cable.up();
        Jobs.getAll(closing);
        root.close(LONG);

        assertEquals(Optional.empty(), root.failure());
    }

    @Test
    void shouldNameARankThatDoesNotComeBackInTime() throws Exception {
        final ProxyConfig settings = ProxyConfig.builder().environment(Map.of()).set("net.socket.resume", "300ms")
                .build();
        ranks.addAll(Jobs.getAll(Jobs.start(RANKS, rank -> Bootstrap.join(
                rank == 1 ? root.id().at(cable.address()) : root.id(), rank, RANKS, LONG, settings))));
        cable.down();

        assertFails(ProxyResult.REMOTE_ERROR, () -> ranks.getFirst().barrier(LONG), "rank 1 (pid ", "died: ",
                ", and it did not come back within 300 ms");
        assertFails(ProxyResult.REMOTE_ERROR, () -> ranks.get(1).barrier(LONG), "is gone: ",
                ", and it could not be reached within 300 ms");
    }

    @Test
    void shouldFailAtOnceUnlessLinksAreResumed() throws Exception {
        final ProxyConfig settings = ProxyConfig.builder().environment(Map.of()).set("net.socket.resume", "0").build();
        ranks.addAll(Jobs.getAll(Jobs.start(RANKS, rank -> Bootstrap.join(
                rank == 1 ? root.id().at(cable.address()) : root.id(), rank, RANKS, LONG, settings))));
        final CompletableFuture<ProxyException> told = new CompletableFuture<>();
        final CompletableFuture<ProxyException> toldOther = new CompletableFuture<>();
        ranks.get(1).onFailure(told::complete);
        ranks.getFirst().onFailure(toldOther::complete);
        cable.reset();

        assertSays(Jobs.get(told), ProxyResult.REMOTE_ERROR, "is gone: ");
        assertSays(Jobs.get(toldOther), ProxyResult.REMOTE_ERROR, "rank 1 (pid ", "died: ");
    }

    @Test
    void shouldNotGoOnWithWhoHasNotTheSession() throws Exception {
        try (RawRank rank = joined(0)) {
            final Message.Accepted accepted = (Message.Accepted) rank.next();
            assertEquals(new LinkTerms(20_000, 60_000), accepted.terms());
            assertRefused(0, new Return(accepted.session() + 1, 1, 0), "has another session");
            assertRefused(1, new Return(accepted.session(), 1, 0), "rank 1 comes back, and never joined");
            assertRefused(RANKS, new Return(accepted.session(), 1, 0), "never joined");
            assertRefused(0, new Return(accepted.session(), -1, 0), "attempt -1 is not newer than 0");
            try (RawRank back = backAs(0, new Return(accepted.session(), 1, 0))) {
                assertEquals(new Message.Resumed(0), back.next());
                rank.awaitEnd();
                assertRefused(0, new Return(accepted.session(), 1, 0), "attempt 1 is not newer than 1");
            }
        }
    }

    @Test
    void shouldFailARankThatAcknowledgesWhatWasNotSent() throws Exception {
        try (RawRank rank = joined(0)) {
            final Message.Accepted accepted = (Message.Accepted) rank.next();
            try (RawRank back = backAs(0, new Return(accepted.session(), 1, 9))) {
                assertTrue(back.next(Message.Failed.class).text().contains("broke the protocol: an acknowledgement of "
                        + "9 frames, where 0 to 0 can be"));
            }
        }
    }

    private RawRank joined(int rank) throws IOException {
        final RawRank raw = RawRank.connect(root);
        raw.prove(RawRank.credential(root.id()), RawRank.hello(rank, RANKS, LONG.toMillis(), new LinkTerms(0, 60_000),
                Return.NONE));
        assertInstanceOf(Message.Welcome.class, raw.next());
        return raw;
    }

    private RawRank backAs(int rank, Return back) throws IOException {
        final RawRank raw = RawRank.connect(root);
        raw.prove(RawRank.credential(root.id()), RawRank.hello(rank, RANKS, 0, LinkTerms.NONE, back));
        assertInstanceOf(Message.Welcome.class, raw.next());
        return raw;
    }

    private void assertRefused(int rank, Return back, String why) throws IOException {
        try (RawRank raw = backAs(rank, back)) {
            final String text = ((Message.Refused) raw.next()).text();
            assertTrue(text.contains(why), text);
        }
    }
}
