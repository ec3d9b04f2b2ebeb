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
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ranks and roots that are killed and stopped for real. */
class BootstrapProcessTest {
    private final List<Process> children = new ArrayList<>();

    private Process child(String... arguments) throws Exception {
        final Process child = ChildRank.start(arguments);
        children.add(child);
        return child;
    }

    @AfterEach
    void endChildren() throws InterruptedException {
        for (final Process child : children) {
            child.destroyForcibly();
            child.waitFor();
        }
    }

    private static void signal(String name, Process child) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(child.pid())).start().waitFor());
    }

    @Test
    void shouldNameAKilledProcessToAllOthers() throws Exception {
        try (BootstrapRoot root = Jobs.root(3)) {
            final Process victim = child("rank", root.id().toString(), "1", "3");
            final Process other = child("rank", root.id().toString(), "2", "3");
            try (Bootstrap bootstrap = Bootstrap.join(root.id(), 0, 3, LONG)) {
                assertEquals("joined", victim.inputReader().readLine());
                assertEquals("joined", other.inputReader().readLine());
                final CompletableFuture<ProxyException> told = new CompletableFuture<>();
                bootstrap.onFailure(told::complete);
                final long startNs = System.nanoTime();
                victim.destroyForcibly();

                assertSays(Jobs.get(told), ProxyResult.REMOTE_ERROR, "rank 1 (pid " + victim.pid(), "died");
                assertTrue(System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(1));
                assertTrue(other.inputReader().readLine().startsWith("REMOTE_ERROR: rank 1 (pid " + victim.pid()));
            }
        }
    }

    @Test
    void shouldHearTheReasonOfAProcessThatAbortsAndIsGone() throws Exception {
        try (BootstrapRoot root = Jobs.root(2)) {
            final Process child = child("rank", root.id().toString(), "1", "2");
            try (Bootstrap bootstrap = Bootstrap.join(root.id(), 0, 2, LONG)) {
                assertEquals("joined", child.inputReader().readLine());
                child.outputWriter().append('a').flush();

                assertFails(ProxyResult.REMOTE_ERROR, () -> bootstrap.barrier(LONG), "rank 1 (pid " + child.pid(),
                        "aborted: told to");
                assertEquals(3, child.waitFor());
            }
        }
    }

    @Test
    void shouldNameAStoppedProcess() throws Exception {
        final BootstrapConfig hasty = BootstrapConfig.defaults()
                .withHeartbeat(Duration.ofMillis(100), Duration.ofMillis(1500));
        try (BootstrapRoot root = Jobs.root(2, hasty)) {
            final Process victim = child("rank", root.id().toString(), "1", "2");
            try (Bootstrap bootstrap = Bootstrap.join(root.id(), 0, 2, LONG)) {
                assertEquals("joined", victim.inputReader().readLine());
                signal("STOP", victim);

                assertFails(ProxyResult.REMOTE_ERROR, () -> bootstrap.barrier(LONG), "rank 1 (pid " + victim.pid(),
                        "died: silent for 1500 ms");
                signal("CONT", victim);
                final String own = victim.inputReader().readLine();
                assertTrue(own.contains("gave this rank up") && own.contains("silent for 1500 ms"), own);
            }
        }
    }

    @Test
    void shouldNoticeThatTheProcessOfTheRootWasKilled() throws Exception {
        final Process root = child("root", "2", "5000");
        final UniqueId id = UniqueId.parse(root.inputReader().readLine());
        final List<Bootstrap> ranks = Jobs.getAll(Jobs.start(2, rank -> Bootstrap.join(id, rank, 2, LONG)));
        root.destroyForcibly();

        for (final Bootstrap rank : ranks) {
            assertFails(ProxyResult.REMOTE_ERROR, () -> rank.receive(1 - rank.rank(), 0, LONG),
                    "bootstrap root at " + PeerText.address(id.address()) + " is gone");
            rank.close();
        }
    }

    @Test
    void shouldNameTheRankWhoseProcessTheRootLivesInWhenItIsKilled() throws Exception {
        final Process host = child("host", "3");
        final UniqueId id = UniqueId.parse(host.inputReader().readLine());
        final List<Bootstrap> ranks = Jobs.getAll(Jobs.start(2, rank -> Bootstrap.join(id, rank + 1, 3, LONG)));
        assertEquals("joined", host.inputReader().readLine());
        host.destroyForcibly();

        for (final Bootstrap rank : ranks) {
            assertFails(ProxyResult.REMOTE_ERROR, () -> rank.barrier(LONG), "rank 0 (pid " + host.pid() + ") died: the "
                    + "bootstrap root at " + PeerText.address(id.address()) + " is gone: ");
            rank.close();
        }
    }

    @Test
    void shouldNotWaitForAProcessThatHasEndedToComeBack() throws Exception {
        final Process host = child("host", "3");
        final UniqueId id = UniqueId.parse(host.inputReader().readLine());
        final ProxyConfig settings = ProxyConfig.builder().environment(Map.of()).set("net.socket.resume", "1000s")
                .build();
        final Process victim = child("rank", id.toString(), "2", "3", "1000s");
        try (Bootstrap rank = Bootstrap.join(id, 1, 3, LONG, settings)) {
            assertEquals("joined", victim.inputReader().readLine());
            victim.destroyForcibly();
            assertFails(ProxyResult.REMOTE_ERROR, () -> rank.barrier(LONG), "rank 2 (pid " + victim.pid(), "died: ",
                    ", and its process has ended");
        }
    }

    @Test
    void shouldNotWaitForARootWhoseProcessHasEnded() throws Exception {
        final Process host = child("host", "2");
        final UniqueId id = UniqueId.parse(host.inputReader().readLine());
        final ProxyConfig settings = ProxyConfig.builder().environment(Map.of()).set("net.socket.resume", "1000s")
                .build();
        try (Bootstrap rank = Bootstrap.join(id, 1, 2, LONG, settings)) {
            host.destroyForcibly();
            assertFails(ProxyResult.REMOTE_ERROR, () -> rank.barrier(LONG), "rank 0 (pid " + host.pid() + ") died: ",
                    ", and its process has ended");
        }
    }

    @Test
    void shouldBeAsPatientWithASilentRankAsThatAsksFor() throws Exception {
        final BootstrapConfig hasty = BootstrapConfig.defaults()
                .withHeartbeat(Duration.ofMillis(100), Duration.ofMillis(500));
        final ProxyConfig patient = ProxyConfig.builder().environment(Map.of()).set("coll.silence.timeout", "1000s")
                .build();
        try (BootstrapRoot root = Jobs.root(2, hasty)) {
            final Process child = child("rank", root.id().toString(), "1", "2", "0", "1000s");
            try (Bootstrap bootstrap = Bootstrap.join(root.id(), 0, 2, LONG, patient)) {
                assertEquals("joined", child.inputReader().readLine());
                signal("STOP", child);
                assertFails(ProxyResult.TIMEOUT, () -> bootstrap.barrier(Duration.ofMillis(2000)), "rank 1");
                signal("CONT", child);
                assertEquals(Optional.empty(), root.failure());
            }
        }
    }

    @Test
    void shouldStayInAJobWhoseRankAboveItCannotDial() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(Jobs.loopback());
            final UniqueId id = UniqueId.random((InetSocketAddress) server.getLocalAddress());
            final Process rank = ChildRank.start(List.of("-Djava.net.preferIPv4Stack=true"), "rank", id.toString(), "1",
                    "2");
            children.add(rank);
            final RawRoot root = RawRoot.accept(server, RawRank.credential(id));
            root.send(RawRoot.accepted(100, 60_000, 1 << 20, 1 << 20));
            root.send(new Message.Ready());
            assertEquals("joined", rank.inputReader().readLine());
            root.send(new TreeMessage.Above(5000, InetAddress.ofLiteral("::1").getAddress()));
            root.send(new Message.Failed(BootstrapDescriptor.NO_RANK, ProxyResult.REMOTE_ERROR, "the next message"));

            assertEquals("REMOTE_ERROR: the next message", rank.inputReader().readLine());
            root.channel().close();
        }
    }

    @Test
    void shouldLetRanksJoinARootWhoseDescriptorsAFloodHasUsedUp() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "takes prlimit");
        final Process root = child("root", "2", "5000");
        final UniqueId id = UniqueId.parse(root.inputReader().readLine());
        try (var open = Files.list(Path.of("/proc/" + root.pid() + "/fd"))) {
            assertEquals(0, new ProcessBuilder("prlimit", "--pid", Long.toString(root.pid()), "--nofile="
                    + (open.count() + 16)).start().waitFor());
        }
        final List<Socket> flood = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            flood.add(new Socket(id.address().getAddress(), id.address().getPort()));
        }
        Jobs.getAll(Jobs.start(2, rank -> {
            try (Bootstrap bootstrap = Bootstrap.join(id, rank, 2, LONG)) {
                bootstrap.barrier(LONG);
                return null;
            }
        }));
        for (final Socket each : flood) {
            each.close();
        }
    }

    @Test
    void shouldNoticeThatTheProcessOfTheRootIsStopped() throws Exception {
        final Process root = child("root", "1", "1500");
        final UniqueId id = UniqueId.parse(root.inputReader().readLine());
        try (Bootstrap bootstrap = Bootstrap.join(id, 0, 1, LONG)) {
            signal("STOP", root);

            assertFails(ProxyResult.REMOTE_ERROR, () -> bootstrap.receive(0, 0, LONG),
                    "bootstrap root at " + PeerText.address(id.address()) + " is gone: silent for 1500 ms");
            signal("CONT", root);
        }
    }

    @Test
    void shouldNotBlameTheRanksForTheTimeTheRootWasStopped() throws Exception {
        final Process root = child("root", "2", "1500");
        final UniqueId id = UniqueId.parse(root.inputReader().readLine());
        final List<Bootstrap> ranks = Jobs.getAll(Jobs.start(2, rank -> Bootstrap.join(id, rank, 2, LONG)));
        signal("STOP", root);
        assertFails(ProxyResult.TIMEOUT, () -> ranks.get(0).receive(1, 0, Duration.ofMillis(600)), "600 ms");
        signal("CONT", root);

        Jobs.getAll(Jobs.start(2, rank -> {
            ranks.get(rank).barrier(LONG);
            return null;
        }));
        ranks.forEach(rank -> assertEquals(Optional.empty(), rank.failure()));
        ranks.forEach(Bootstrap::close);
    }
}
