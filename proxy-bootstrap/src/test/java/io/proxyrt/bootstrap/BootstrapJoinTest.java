/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.auth.PeerText;
import static io.proxyrt.bootstrap.Jobs.LONG;
import static io.proxyrt.bootstrap.Jobs.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BootstrapJoinTest {
    @Test
    void shouldNameARankThatDoesNotCome() throws Exception {
        try (BootstrapRoot root = Jobs.root(4)) {
            final List<CompletableFuture<Bootstrap>> joins = Jobs.start(3,
                    rank -> Bootstrap.join(root.id(), rank, 4, Duration.ofSeconds(rank == 1 ? 2 : 20)));

            for (final CompletableFuture<Bootstrap> join : joins) {
                assertFails(ProxyResult.TIMEOUT, () -> Jobs.get(join), "rank 3 of 4 did not join within 2 s",
                        "(joined: 0, 1, 2)");
            }
            assertTrue(root.failure().isPresent());
        }
    }

    @Test
    void shouldTellALatecomerWhyItIsTooLate() throws Exception {
        try (BootstrapRoot root = Jobs.root(2)) {
            assertFails(ProxyResult.TIMEOUT, () -> Bootstrap.join(root.id(), 0, 2, Duration.ofMillis(300)),
                    "rank 1 of 2 did not join");
            assertFails(ProxyResult.TIMEOUT, () -> Bootstrap.join(root.id(), 1, 2, LONG), "refused",
                    "rank 1 of 2 did not join within 300 ms");
        }
    }

    @Test
    void shouldRefuseASecondProcessWithTheSameRank() throws Exception {
        try (BootstrapRoot root = Jobs.root(2); RawRank first = RawRank.hello(root, 0, 2)) {
            assertInstanceOf(Message.Accepted.class, first.next());

            assertFails(ProxyResult.INVALID_USAGE, () -> Bootstrap.join(root.id(), 0, 2, LONG), "refused",
                    "rank 0 (pid 4711 at 127.0.0.1:" + first.port() + ") has already joined");
            try (Bootstrap second = Bootstrap.join(root.id(), 1, 2, LONG)) {
                assertInstanceOf(Message.Ready.class, first.next());
                assertEquals(Optional.empty(), second.failure());
                first.send(new Message.Goodbye());
            }
        }
    }

    @Test
    void shouldTellAllRanksOfOneThatCountsOtherwise() throws Exception {
        try (BootstrapRoot root = Jobs.root(3)) {
            final List<CompletableFuture<Bootstrap>> waiting = Jobs.start(2, rank ->
                    Bootstrap.join(root.id(), rank, 3, LONG));
            assertFails(ProxyResult.INVALID_ARGUMENT, () -> Bootstrap.join(root.id(), 2, 4, LONG),
                    "rank 2 says the job has 4 ranks", "opened for 3");
            for (final CompletableFuture<Bootstrap> each : waiting) {
                assertFails(ProxyResult.INVALID_ARGUMENT, () -> Jobs.get(each),
                        "rank 2 says the job has 4 ranks, the root was opened for 3 (pid ");
            }
        }
    }

    @Test
    void shouldNotEndACompleteJobForOneThatCountsOtherwise() throws Exception {
        try (BootstrapRoot root = Jobs.root(2)) {
            final List<Bootstrap> ranks = Jobs.join(root, 2);
            assertFails(ProxyResult.INVALID_ARGUMENT, () -> Bootstrap.join(root.id(), 1, 3, LONG), "opened for 2");
            Jobs.getAll(Jobs.start(2, rank -> {
                ranks.get(rank).barrier(LONG);
                return null;
            }));
            ranks.forEach(Bootstrap::close);
        }
    }

    @Test
    void shouldRefuseARankOutOfRange() throws Exception {
        try (BootstrapRoot root = Jobs.root(2); RawRank stray = RawRank.hello(root, 2, 2)) {
            assertEquals(new Message.Refused(ProxyResult.INVALID_ARGUMENT, "rank 2 is not within 0 to 1"),
                    stray.next());
            assertTrue(stray.isClosedByRoot());
            Jobs.join(root, 2).forEach(Bootstrap::close);
        }
    }

    @Test
    void shouldWaitForARootThatComesLater() throws Exception {
        final UniqueId id;
        try (ServerSocket reserved = new ServerSocket()) {
            reserved.bind(Jobs.loopback());
            id = UniqueId.of((InetSocketAddress) reserved.getLocalSocketAddress(), "later");
        }
        final CompletableFuture<Thread> joiner = new CompletableFuture<>();
        final CompletableFuture<Bootstrap> join = Jobs.start(() -> {
            joiner.complete(Thread.currentThread());
            return Bootstrap.join(id, 0, 1, LONG);
        });
        final Thread thread = Jobs.get(joiner);
        while (!join.isDone() && Arrays.stream(thread.getStackTrace()).noneMatch(BootstrapJoinTest::hasDialled)) {
            Thread.onSpinWait();
        }
        try (BootstrapRoot root = BootstrapRoot.open(id, 1, BootstrapConfig.defaults())) {
            Jobs.get(join).close();
            assertEquals(Optional.empty(), root.failure());
        }
    }

    /** It waits for an answer, or for its next try. */
    private static boolean hasDialled(StackTraceElement frame) {
        return frame.getClassName().equals(Connector.class.getName()) && frame.getMethodName().equals("await");
    }

    @Test
    void shouldNameTheAddressWithoutAListener() throws Exception {
        final UniqueId id;
        try (ServerSocket reserved = new ServerSocket()) {
            reserved.bind(Jobs.loopback());
            id = UniqueId.random((InetSocketAddress) reserved.getLocalSocketAddress());
        }

        assertFails(ProxyResult.TIMEOUT, () -> Bootstrap.join(id, 0, 1, Duration.ofMillis(200)), "rank 0",
                "127.0.0.1:" + id.address().getPort(), "200 ms", "refused");
    }

    @Test
    void shouldNameAHostThatDoesNotExist() {
        final UniqueId id = UniqueId.parse("no-such-host.invalid:7:0123456789abcdef0123456789abcdef");

        assertFails(ProxyResult.TIMEOUT, () -> Bootstrap.join(id, 0, 1, Duration.ofMillis(100)),
                "no-such-host.invalid:7", "no such host");
        assertFails(ProxyResult.SYSTEM_ERROR, () -> BootstrapRoot.open(id, 1, BootstrapConfig.defaults()),
                "no-such-host.invalid:7", "no such host");
    }

    @Test
    void shouldNotBeTakenInByTheRootOfAnotherJob() {
        try (BootstrapRoot root = Jobs.root(1)) {
            final UniqueId other = UniqueId.random(root.address());

            assertFails(ProxyResult.REMOTE_ERROR, () -> Bootstrap.join(other, 0, 1, Duration.ofMillis(300)),
                    "was not taken in", PeerText.address(root.address()), "another unique id");
        }
    }

    @Test
    void shouldSayWhatAnsweredInsteadOfARoot() throws Exception {
        try (ServerSocket server = new ServerSocket()) {
            server.bind(Jobs.loopback());
            Jobs.start(() -> {
                while (true) {
                    try (Socket socket = server.accept()) {
                        socket.getOutputStream().write("SSH-2.0-OpenSSH\r\n".getBytes());
                        socket.shutdownOutput();
                        socket.getInputStream().readAllBytes();
                    }
                }
            });

            assertFails(ProxyResult.REMOTE_ERROR, () -> Bootstrap.join(
                    UniqueId.random((InetSocketAddress) server.getLocalSocketAddress()), 0, 1, Duration.ofMillis(300)),
                    "no bootstrap root", "SSH-2.0-OpenSSH");
        }
    }

    @Test
    void shouldGiveUpOnAServerThatNeverAnswers() throws Exception {
        try (ServerSocket server = new ServerSocket()) {
            server.bind(Jobs.loopback());

            assertFails(ProxyResult.REMOTE_ERROR, () -> Bootstrap.join(
                    UniqueId.random((InetSocketAddress) server.getLocalSocketAddress()), 0, 1, Duration.ofMillis(300)),
                    "did not answer");
        }
    }

    @Test
    void shouldBeInterruptibleWhileTheRootIsNotThere() throws Exception {
        final UniqueId id;
        try (ServerSocket reserved = new ServerSocket()) {
            reserved.bind(Jobs.loopback());
            id = UniqueId.random((InetSocketAddress) reserved.getLocalSocketAddress());
        }
        Thread.currentThread().interrupt();

        assertFails(ProxyResult.INVALID_USAGE, () -> Bootstrap.join(id, 0, 1, LONG), "interrupted");
        assertTrue(Thread.interrupted());
    }

    @Test
    void shouldTellTheOthersWhenARankGivesUpJoining() throws Exception {
        try (BootstrapRoot root = Jobs.root(3); RawRank other = RawRank.hello(root, 1, 3)) {
            assertInstanceOf(Message.Accepted.class, other.next());
            final CompletableFuture<Thread> joiner = new CompletableFuture<>();
            final CompletableFuture<Bootstrap> join = Jobs.start(() -> {
                joiner.complete(Thread.currentThread());
                return Bootstrap.join(root.id(), 0, 3, LONG);
            });
            final Thread thread = Jobs.get(joiner);
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            thread.interrupt();

            assertFails(ProxyResult.INVALID_USAGE, () -> Jobs.get(join), "interrupted");
            final Message.Failed failed = other.next(Message.Failed.class);
            assertEquals(0, failed.rank());
            assertTrue(failed.text().contains("gave up joining"), failed.text());
        }
    }

    @Test
    void shouldFailTheJobWhenARankDiesBeforeAllHaveJoined() throws Exception {
        try (BootstrapRoot root = Jobs.root(3)) {
            final RawRank victim = RawRank.hello(root, 2, 3);
            assertInstanceOf(Message.Accepted.class, victim.next());
            victim.close();

            assertFails(ProxyResult.REMOTE_ERROR, () -> Bootstrap.join(root.id(), 0, 3, LONG), "rank 2 (pid 4711",
                    "died");
        }
    }

    @Test
    void shouldSayWhichAddressIsTakenAndWhatToDo() {
        try (BootstrapRoot root = Jobs.root(1)) {
            assertFails(ProxyResult.SYSTEM_ERROR, () -> BootstrapRoot.open(root.address(), 1),
                    "cannot listen at " + PeerText.address(root.address()), "free port");
        }
    }

    @Test
    void shouldSayWhenTheAddressIsNotOfThisHost() {
        assertFails(ProxyResult.SYSTEM_ERROR, () -> BootstrapRoot.open(new InetSocketAddress("192.0.2.1", 0), 1),
                "192.0.2.1:0", "address of this host");
    }
}
