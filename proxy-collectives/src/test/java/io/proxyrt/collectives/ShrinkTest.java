/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Communicators without some ranks, that are left out while all is well, or have died. */
@Tag(Extent.SCALED)
class ShrinkTest {
    @TempDir
    Path directory;

    private ProxyConfig config(ThreadingMode mode) {
        return InProcessRanks.config(directory, mode, "SHM").build();
    }

    private static int sum(Communicator comm, int mine) {
        MemorySegment buffer = comm.allocate(4).segment();
        buffer.set(JAVA_INT, 0, mine);
        comm.allReduce(buffer, buffer, 1, DataType.INT32, RedOp.SUM);
        comm.synchronize();
        return buffer.get(JAVA_INT, 0);
    }

    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = {"DEDICATED", "INVOKER"})
    void shouldLeaveRanksOutThatDoNothing(ThreadingMode mode) throws Exception {
        InProcessRanks.run(4, config(mode), comm -> {
            if (comm.rank() != 1) {
                try (Communicator rest = comm.shrink(1)) {
                    assertEquals(3, rest.nRanks());
                    assertEquals(Math.max(0, comm.rank() - 1), rest.rank());
                    assertEquals(0 + 2 + 3, sum(rest, comm.rank()));
                    assertTrue(rest.name().startsWith("shrink 1 of job "), rest.name());
                    try (Communicator fewer = rest.rank() == 0 ? null : rest.shrink(0)) {
                        assertEquals(rest.rank() == 0 ? 0 : 5, fewer == null ? 0 : sum(fewer, comm.rank()));
                    }
                }
            }
            assertEquals(6, sum(comm, comm.rank()));
        });
    }

    @Test
    void shouldRefuseRanksThatCannotBeLeftOut() throws Exception {
        InProcessRanks.run(2, config(ThreadingMode.DEDICATED), comm -> {
            for (int rank : new int[] {comm.rank(), 2, -1}) {
                ProxyException refusal = assertThrows(ProxyException.class, () -> comm.shrink(rank));
                assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result(), refusal.getMessage());
            }
        });
    }

    @Test
    void shouldSayThatRanksLeaveOutDifferentOnes() throws Exception {
        List<Throwable> outcomes = InProcessRanks.outcomes(Collections.nCopies(4, config(ThreadingMode.DEDICATED)),
                comm -> {
                    if (comm.rank() < 2) {
                        comm.shrink(comm.rank() == 0 ? new int[] {3} : new int[] {2, 3});
                    } else if (comm.rank() == 2) {
                        comm.shrink(3);
                    }
                });
        assertEquals(ProxyResult.INVALID_USAGE, assertInstanceOf(ProxyException.class, outcomes.getFirst()).result());
        assertTrue(outcomes.getFirst().getMessage().contains("leave out"), outcomes.getFirst().getMessage());
    }

    /** The one that gives up ends all communicators; the rest go on with a new one, and that can be split. */
    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = {"DEDICATED", "INVOKER"})
    void shouldGoOnWithoutARankThatGaveUp(ThreadingMode mode) throws Exception {
        List<Throwable> outcomes = InProcessRanks.outcomes(Collections.nCopies(4, config(mode)), comm -> {
            try (Communicator half = comm.split(comm.rank() % 2, 0)) {
                sum(half, 1);
                comm.barrier();
                if (comm.rank() == 2) {
                    half.abort("on purpose");
                    return;
                }
                // Ranks 1 and 3 have nothing to do with what failed but the runtime.
                ProxyException failure = assertThrows(ProxyException.class, () -> {
                    while (true) {
                        sum(half, 1);
                    }
                });
                assertTrue(failure.getMessage().contains("on purpose"), failure.getMessage());
                try (Communicator rest = comm.shrink(2); Communicator turned = rest.split(0, -rest.rank())) {
                    assertEquals(3, rest.nRanks());
                    assertEquals(comm.rank() == 3 ? 2 : comm.rank(), rest.rank());
                    assertEquals(4, sum(rest, comm.rank()));
                    assertEquals(4, sum(turned, comm.rank()));
                }
            }
        });
        outcomes.forEach(outcome -> assertNull(outcome, () -> String.valueOf(outcome)));
    }

    @Test
    void shouldGoOnWithoutAProcessThatWasKilled() throws Exception {
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4)) {
            List<ChildJvm> ranks = start(root.id(), 4);
            try {
                ranks.forEach(rank -> rank.expect("6"));
                ranks.get(1).signal("KILL");
                for (int rank : new int[] {0, 2, 3}) {
                    ranks.get(rank).expect("REMOTE_ERROR rank 1");
                    ranks.get(rank).expect("5");
                }
                for (int rank : new int[] {0, 2, 3}) {
                    ranks.get(rank).expect("no failure");
                    ranks.get(rank).expect("closed");
                    ranks.get(rank).expect(null);
                }
            } finally {
                ranks.forEach(ChildJvm::close);
            }
        }
    }

    /** A rank that had the root takes with it the way by which the others would meet. */
    @Test
    void shouldSayThatTheRootIsGone() throws Exception {
        BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2);
        Thread other = Thread.ofPlatform().daemon().start(() -> Communicator.init(root.id(), 1, 2,
                config(ThreadingMode.DEDICATED)).close());
        try (Communicator comm = Communicator.init(root.id(), 0, 2, config(ThreadingMode.DEDICATED))) {
            other.join();
            root.close(Duration.ZERO);
            // That rank 1 has left is known before.
            String failure = "";
            while (!failure.contains("is gone")) {
                failure = assertThrows(ProxyException.class, comm::barrier).getMessage();
            }
            ProxyException refusal = assertThrows(ProxyException.class, () -> comm.shrink(1));
            assertEquals(ProxyResult.REMOTE_ERROR, refusal.result());
            assertTrue(refusal.getMessage().contains("root, which is gone"), refusal.getMessage());
        }
    }

    private List<ChildJvm> start(UniqueId id, int nRanks) throws Exception {
        List<ChildJvm> ranks = new ArrayList<>();
        for (int rank = 0; rank < nRanks; rank++) {
            ranks.add(new ChildJvm(List.of(), Rank.class, directory.toString(), id.toString(), "" + rank,
                    "" + nRanks));
        }
        return ranks;
    }

    /** A rank in a process of its own. */
    static final class Rank {
        private Rank() {
        }

        public static void main(String[] args) throws InterruptedException {
            int rank = Integer.parseInt(args[2]);
            ProxyConfig config = InProcessRanks.config(Path.of(args[0]), ThreadingMode.DEDICATED, "SHM").build();
            try (Communicator comm = Communicator.init(UniqueId.parse(args[1]), rank, Integer.parseInt(args[3]),
                    config)) {
                System.out.println(sum(comm, rank));
                ProxyException failure = assertThrows(ProxyException.class, () -> {
                    while (true) {
                        sum(comm, rank);
                    }
                });
                System.out.println(failure.result() + (failure.getMessage().contains("rank 1") ? " rank 1"
                        : failure.getMessage()));
                try (Communicator rest = comm.shrink(1)) {
                    System.out.println(sum(rest, rank));
                    rest.barrier();
                    // The one with the root leaves first, and its process waits for the others.
                    Thread.sleep(rest.rank() == 0 ? 0 : 200);
                    ProxyException none = rest.proxy().asyncResult().failure();
                    System.out.println(none == null ? "no failure" : none.getMessage());
                }
            }
            System.out.println("closed");
        }
    }
}
