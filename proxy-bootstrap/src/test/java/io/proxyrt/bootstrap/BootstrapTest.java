/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static io.proxyrt.bootstrap.Jobs.LONG;
import static io.proxyrt.bootstrap.Jobs.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BootstrapTest {
    private static byte[] blob(int rank, int length) {
        final byte[] blob = new byte[length];
        Arrays.fill(blob, (byte) (rank + 1));
        return blob;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 32})
    void shouldGatherABlobOfEachRank(int nRanks) throws Exception {
        for (final byte[][] all : Jobs.run(nRanks, b -> b.allGather(blob(b.rank(), b.rank() * 10), LONG))) {
            assertEquals(nRanks, all.length);
            for (int rank = 0; rank < nRanks; rank++) {
                assertArrayEquals(blob(rank, rank * 10), all[rank]);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 32})
    void shouldLetNoRankThroughABarrierBeforeAllHaveCome(int nRanks) throws Exception {
        final AtomicInteger arrived = new AtomicInteger();
        Jobs.run(nRanks, bootstrap -> {
            for (int i = 1; i <= 20; i++) {
                arrived.incrementAndGet();
                bootstrap.barrier(LONG);
                assertTrue(arrived.get() >= i * nRanks);
            }
            return null;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 32})
    void shouldCarryABlobBetweenAnyTwoRanks(int nRanks) throws Exception {
        Jobs.run(nRanks, bootstrap -> {
            for (int peer = 0; peer < nRanks; peer++) {
                bootstrap.send(peer, bootstrap.rank(), blob(bootstrap.rank(), peer));
            }
            for (int peer = 0; peer < nRanks; peer++) {
                assertArrayEquals(blob(peer, bootstrap.rank()), bootstrap.receive(peer, peer, LONG));
            }
            return null;
        });
    }

    @Test
    void shouldGatherBlobsOfTheGreatestLength() throws Exception {
        final int most = BootstrapConfig.defaults().maxFrameBytes() - BootstrapDescriptor.MAX_BLOB_OVERHEAD;
        Jobs.run(4, bootstrap -> {
            final byte[][] all = bootstrap.allGather(blob(bootstrap.rank(), most), LONG);
            assertArrayEquals(blob(3, most), all[3]);
            assertFails(ProxyResult.INVALID_ARGUMENT, () -> bootstrap.allGather(new byte[most + 1], LONG),
                    "" + (most + 1));
            return null;
        });
    }

    @Test
    void shouldKeepMessagesThatAreNotYetAskedFor() throws Exception {
        Jobs.run(2, bootstrap -> {
            final int peer = 1 - bootstrap.rank();
            for (int tag = 0; tag < 100; tag++) {
                bootstrap.send(peer, tag, new byte[] {(byte) tag});
            }
            for (int tag = 99; tag >= 0; tag--) {
                assertArrayEquals(new byte[] {(byte) tag}, bootstrap.receive(peer, tag, LONG));
            }
            return null;
        });
    }

    @Test
    void shouldKeepTheOrderWithinOneTag() throws Exception {
        Jobs.run(2, bootstrap -> {
            if (bootstrap.rank() == 0) {
                for (int i = 0; i < 1000; i++) {
                    bootstrap.send(1, 5, new byte[] {(byte) i, (byte) (i >> 8)});
                }
            }
            for (int i = 0; i < 1000 && bootstrap.rank() == 1; i++) {
                assertArrayEquals(new byte[] {(byte) i, (byte) (i >> 8)}, bootstrap.receive(0, 5, LONG));
            }
            bootstrap.barrier(LONG);
            return null;
        });
    }

    @Test
    void shouldHaveItsOwnBlobs() throws Exception {
        Jobs.run(1, bootstrap -> {
            final byte[] mine = {1};
            bootstrap.send(0, 0, mine);
            mine[0] = 2;
            assertArrayEquals(new byte[] {1}, bootstrap.receive(0, 0, LONG));
            return null;
        });
    }

    @Test
    void shouldServeManyThreadsOfOneRank() throws Exception {
        Jobs.run(3, bootstrap -> {
            final List<CompletableFuture<Void>> all = new ArrayList<>(
                    Jobs.start(8, thread -> pingAll(bootstrap, thread)));
            all.add(Jobs.start(() -> {
                for (int i = 0; i < 50; i++) {
                    bootstrap.barrier(LONG);
                }
                return null;
            }));
            all.add(Jobs.start(() -> {
                for (int i = 0; i < 50; i++) {
                    assertArrayEquals(new byte[] {2, (byte) i},
                            bootstrap.allGather(new byte[] {(byte) bootstrap.rank(), (byte) i}, LONG)[2]);
                }
                return null;
            }));
            return Jobs.getAll(all);
        });
    }

    private static Void pingAll(Bootstrap bootstrap, int thread) {
        for (int i = 0; i < 50; i++) {
            for (int peer = 0; peer < bootstrap.nRanks(); peer++) {
                bootstrap.send(peer, thread, new byte[] {(byte) i});
            }
            for (int peer = 0; peer < bootstrap.nRanks(); peer++) {
                assertArrayEquals(new byte[] {(byte) i}, bootstrap.receive(peer, thread, LONG));
            }
        }
        return null;
    }

    @Test
    void shouldNameTheRanksThatABarrierWaitsFor() throws Exception {
        try (BootstrapRoot root = Jobs.root(4)) {
            final List<Bootstrap> ranks = Jobs.join(root, 4);

            final CompletableFuture<?> other = Jobs.start(() -> {
                ranks.get(2).barrier(LONG);
                return null;
            });
            assertFails(ProxyResult.TIMEOUT, () -> ranks.get(0).barrier(Duration.ofMillis(300)), "barrier 0",
                    "waited 300 ms for ranks 1, ");
            assertFails(ProxyResult.TIMEOUT, () -> Jobs.get(other), "barrier 0", "rank 0 waited 300 ms for ranks 1, 3");
            assertFails(ProxyResult.TIMEOUT, () -> ranks.get(3).barrier(LONG), "rank 0 waited 300 ms");
            assertFails(ProxyResult.TIMEOUT, () -> ranks.get(1).barrier(LONG), "rank 0 waited 300 ms");
            Jobs.getAll(Jobs.start(4, rank -> {
                ranks.get(rank).barrier(LONG);
                return null;
            }));
            assertEquals(Optional.empty(), root.failure());
            ranks.forEach(Bootstrap::close);
        }
    }

    @Test
    void shouldTellWhatDidNotArrive() throws Exception {
        Jobs.run(2, bootstrap -> {
            assertFails(ProxyResult.TIMEOUT, () -> bootstrap.receive(1 - bootstrap.rank(), 77, Duration.ofMillis(10)),
                    "rank " + (1 - bootstrap.rank()), "tag 77", "10 ms");
            bootstrap.barrier(LONG);
            return null;
        });
    }

    @Test
    void shouldBeInterruptibleAndStayInStep() throws Exception {
        final CompletableFuture<Void> interrupted = new CompletableFuture<>();
        Jobs.run(2, bootstrap -> {
            if (bootstrap.rank() == 0) {
                Thread.currentThread().interrupt();
                assertFails(ProxyResult.INVALID_USAGE, () -> bootstrap.allGather(new byte[] {9}, LONG), "interrupted");
                assertTrue(Thread.interrupted());
                interrupted.complete(null);
            } else {
                // Before that the round would be complete, and a round that is complete has nothing to interrupt.
                Jobs.get(interrupted);
                assertArrayEquals(new byte[] {9}, bootstrap.allGather(new byte[] {8}, LONG)[0]);
            }
            assertArrayEquals(new byte[] {1}, bootstrap.allGather(new byte[] {(byte) bootstrap.rank()}, LONG)[1]);
            return null;
        });
    }

    @Test
    void shouldFailWhatOthersExpectOfARankThatHasLeft() throws Exception {
        try (BootstrapRoot root = Jobs.root(2)) {
            final List<Bootstrap> ranks = Jobs.join(root, 2);
            ranks.get(1).send(0, 3, new byte[] {3});
            final CompletableFuture<?> waiter = Jobs.start(() -> ranks.get(0).receive(1, 4, LONG));
            ranks.get(1).close();

            assertFails(ProxyResult.REMOTE_ERROR, () -> Jobs.get(waiter), "rank 1 has closed");
            assertArrayEquals(new byte[] {3}, ranks.get(0).receive(1, 3, LONG));
            assertFails(ProxyResult.REMOTE_ERROR, () -> ranks.get(0).barrier(LONG), "barrier 0", "rank 1 closed");
            assertFails(ProxyResult.REMOTE_ERROR, () -> ranks.get(0).send(1, 0, new byte[0]), "rank 1 has closed");
            assertEquals(Optional.empty(), ranks.get(0).failure());
            ranks.get(0).close();
        }
    }

    @Test
    void shouldCloseMoreThanOnceAndRefuseEverythingAfter() throws Exception {
        final BootstrapRoot root = Jobs.root(1);
        final Bootstrap bootstrap = Jobs.join(root, 1).getFirst();
        final CompletableFuture<?> waiter = Jobs.start(() -> bootstrap.receive(0, 0, LONG));
        Jobs.getAll(Jobs.start(4, i -> {
            bootstrap.close();
            return null;
        }));
        bootstrap.close();
        bootstrap.abort("too late to matter");

        assertFails(ProxyResult.INVALID_USAGE, () -> Jobs.get(waiter), "closed");
        assertFails(ProxyResult.INVALID_USAGE, () -> bootstrap.barrier(LONG), "closed");
        assertFails(ProxyResult.INVALID_USAGE, () -> bootstrap.allGather(new byte[0], LONG), "closed");
        assertFails(ProxyResult.INVALID_USAGE, () -> bootstrap.send(0, 0, new byte[0]), "closed");
        assertFails(ProxyResult.INVALID_USAGE, () -> bootstrap.receive(0, 0, LONG), "closed");
        root.close();
        root.close();
        assertEquals(Optional.empty(), root.failure());
    }

    @Test
    void shouldRefuseArgumentsOutOfRange() throws Exception {
        Jobs.run(1, bootstrap -> {
            assertFails(ProxyResult.INVALID_ARGUMENT, () -> bootstrap.send(1, 0, new byte[0]), "rank 1");
            assertFails(ProxyResult.INVALID_ARGUMENT, () -> bootstrap.receive(-1, 0, LONG), "rank -1");
            assertFails(ProxyResult.INVALID_ARGUMENT, () -> bootstrap.barrier(Duration.ofNanos(-1)), "timeout");
            bootstrap.barrier(Duration.ofSeconds(Long.MAX_VALUE));
            return null;
        });
        assertFails(ProxyResult.INVALID_ARGUMENT,
                () -> Bootstrap.join(UniqueId.random(Jobs.loopback()), 0, 1, LONG), "port 0");
        assertFails(ProxyResult.INVALID_ARGUMENT,
                () -> Bootstrap.join(UniqueId.random(Jobs.loopback()), 2, 2, LONG), "rank 2");
        assertFails(ProxyResult.INVALID_ARGUMENT, () -> Jobs.root(0), "at least one rank");
    }

    @Test
    void shouldMeetAtAnIpv6Address() throws Exception {
        final InetAddress address = InetAddress.ofLiteral("::1");
        Assumptions.assumeTrue(NetworkInterface.getByInetAddress(address) != null, "no IPv6 here");
        assertMeets(address);
    }

    @Test
    void shouldMeetAtARealAddress() throws Exception {
        final Optional<InetAddress> address = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(a -> !a.isLoopbackAddress() && !(a instanceof Inet6Address)).findFirst();
        Assumptions.assumeTrue(address.isPresent(), "no network here");
        assertMeets(address.get());
    }

    private static void assertMeets(InetAddress address) throws Exception {
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(address, 0), 2)) {
            final UniqueId id = UniqueId.parse(root.id().toString());
            Jobs.getAll(Jobs.start(2, rank -> {
                try (Bootstrap bootstrap = Bootstrap.join(id, rank, 2, LONG)) {
                    bootstrap.barrier(LONG);
                    return null;
                }
            }));
        }
    }

    @Test
    void shouldMeetUnderANameWhenTheRootListensEverywhere() throws Exception {
        final UniqueId everywhere = UniqueId.random(new InetSocketAddress(0));
        try (BootstrapRoot root = BootstrapRoot.open(everywhere, 2, BootstrapConfig.defaults())) {
            assertFails(ProxyResult.INVALID_USAGE, root::id, "id(host)");
            assertEquals(root.address().getPort(), root.id("::1").address().getPort());
            final UniqueId id = root.id("localhost");
            assertEquals(everywhere.at(InetSocketAddress.createUnresolved("localhost", root.address().getPort())), id);
            Jobs.getAll(Jobs.start(2, rank -> {
                try (Bootstrap bootstrap = Bootstrap.join(id, rank, 2, LONG)) {
                    bootstrap.barrier(LONG);
                    return null;
                }
            }));
        }
    }
}
