/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranks that are asked for different things all say so, and not that time ran out: both descriptions, and whose. */
@Tag(Extent.SCALED)
class DisagreementTest {
    private static final int RANKS = 3;
    private static final int ODD = 1;
    private static final int SMALL = 2;
    private static final int LARGE = 100_003;

    @TempDir
    Path directory;

    /** What all ranks are to do but one; then the odd one. */
    private enum Case {
        COUNT("all_reduce of %d INT32 SUM", "all_reduce of %d INT32 SUM", 1),
        LESS("all_gather of %d INT32", "all_gather of %d INT32", -1),
        NOTHING("all_reduce of %d INT32 SUM", "all_reduce of 0 INT32 SUM", 0),
        TYPE("all_reduce of %d INT32 SUM", "all_reduce of %d FLOAT32 SUM", 0),
        OP("all_reduce of %d INT32 SUM", "all_reduce of %d INT32 MAX", 0),
        ROOT("broadcast of %d INT32 from rank 0", "broadcast of %d INT32 from rank 1", 0),
        ORDER("all_reduce of %d INT32 SUM", "all_gather of %d INT32", 0),
        LONGER("which receives %d", "rank 1 sends %d bytes to rank 0", 4),
        SHORTER("which receives %d", "rank 1 sends %d bytes to rank 0", -4),
        KIND("rank 0 is at collective 2, all_reduce of %d INT32 SUM", "rank 1 at a message with rank 0", 0);

        private final String mine;
        private final String theirs;
        private final int more;

        Case(String mine, String theirs, int more) {
            this.mine = mine;
            this.theirs = theirs;
            this.more = more;
        }

        boolean isMessage() {
            return this == LONGER || this == SHORTER;
        }

        /** The odd rank's neighbours may find out at the same time: either may be named with it. */
        void requireSaid(ProxyException failure, int rank, int count) {
            int unit = isMessage() ? Integer.BYTES : 1;
            String text = failure.getMessage();
            assertTrue(text.startsWith("rank " + rank + ": the ranks disagree: "), text);
            assertTrue(text.contains(mine.formatted(count * unit)), text);
            assertTrue(text.contains(theirs.formatted(count * unit + more)), text);
            assertTrue(text.contains("rank " + ODD), text);
            assertEquals(ProxyResult.INVALID_USAGE, failure.result());
        }
    }

    static Stream<Arguments> cases() {
        Stream<Arguments> all = Stream.of("SHM", "SHM copies", "SHM LL", "SHM LL128", "P2P", "P2P copies",
                "NET", "NET LL", "NET LL128", "SHM on GPUs", "SHM LL on GPUs", "SHM LL128 on GPUs", "P2P on GPUs",
                "NET on GPUs", "NET LL on GPUs", "SHM on GPUs by trees", "P2P LL on GPUs by trees",
                "NET LL128 on GPUs by trees")
                .flatMap(transport -> Stream.of(Case.values()).flatMap(each -> Stream.of(SMALL, LARGE)
                        .flatMap(count -> modes(transport)
                                .map(mode -> Arguments.of(transport, each, count, mode)))));
        return Extent.sample(17, all);
    }

    private static Stream<ThreadingMode> modes(String transport) {
        return transport.contains(" ") ? Stream.of(ThreadingMode.DEDICATED)
                : Stream.of(ThreadingMode.DEDICATED, ThreadingMode.INVOKER);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldTellAllRanksOfBoth(String transport, Case each, int count, ThreadingMode mode) throws Exception {
        int nRanks = each == Case.KIND ? 2 : RANKS;
        List<ProxyConfig> configs = IntStream.range(0, nRanks).mapToObj(rank -> config(transport, mode, rank)).toList();
        List<Throwable> failures = InProcessRanks.failures(configs, comm -> {
            run(comm, each.isMessage() ? Case.LONGER : Case.COUNT, count, 0, false);
            comm.synchronize();
            run(comm, each, count, each.more, comm.rank() == ODD);
            comm.synchronize();
            comm.barrier();
        });
        for (int rank = 0; rank < failures.size(); rank++) {
            each.requireSaid(assertInstanceOf(ProxyException.class, failures.get(rank), "rank " + rank), rank, count);
        }
    }

    private ProxyConfig config(String transport, ThreadingMode mode, int rank) {
        String name = transport.split(" ")[0];
        boolean isOnGpu = transport.contains("GPU");
        if (isOnGpu) {
            GpuRanks.assumeRoomFor(RANKS);
        }
        ProxyConfig.Builder config = isOnGpu ? GpuRanks.config(directory, mode, name, rank)
                : InProcessRanks.config(directory, mode, name);
        if (transport.contains("LL")) {
            config.set(CollectivesOptions.PROTOCOL, Allowed.only(Protocol.valueOf(transport.split(" ")[1])));
        }
        if (transport.contains("trees")) {
            config.set(CollectivesOptions.ALGORITHM, Allowed.only(Algorithm.TREE));
        }
        if (transport.startsWith("P2P")) {
            config.set("proxyrt.p2p.host", "1").set("proxyrt.p2p.use.memcpy", transport.contains("copies") ? "1" : "0");
        } else if (transport.contains("copies")) {
            config.set("proxyrt.shm.use.memcpy", "1").set("proxyrt.shm.memcpy.mode", "3");
        }
        return config.build();
    }

    private static void run(Communicator comm, Case each, int count, int more, boolean isOdd) {
        MemorySegment from = comm.allocate(4L * RANKS * (count + 4)).range();
        MemorySegment to = comm.allocate(4L * RANKS * (count + 4)).range();
        int mine = isOdd ? count + more : count;
        DataType type = isOdd && each == Case.TYPE ? DataType.FLOAT32 : DataType.INT32;
        RedOp op = isOdd && each == Case.OP ? RedOp.MAX : RedOp.SUM;
        switch (each) {
            case NOTHING -> comm.allReduce(from, to, isOdd ? 0 : count, type, op);
            case LESS -> comm.allGather(from, to, mine, type);
            case ROOT -> comm.broadcast(from, to, count, type, isOdd ? ODD : 0);
            case LONGER, SHORTER -> message(comm, from, to, 4L * count, isOdd ? more : 0);
            case ORDER -> {
                if (isOdd) {
                    comm.allGather(from, to, count, type);
                } else {
                    comm.allReduce(from, to, count, type, op);
                }
            }
            case KIND -> {
                if (isOdd) {
                    comm.recv(to.asSlice(0, 4L * count), 0);
                } else {
                    comm.allReduce(from, to, count, type, op);
                }
            }
            default -> comm.allReduce(from, to, mine, type, op);
        }
    }

    /** From the odd rank to rank 0; the third looks on. */
    private static void message(Communicator comm, MemorySegment from, MemorySegment to, long bytes, int more) {
        if (comm.rank() == ODD) {
            comm.send(from.asSlice(0, bytes + more), 0);
        } else if (comm.rank() == 0) {
            comm.recv(to.asSlice(0, bytes), ODD);
        }
    }
}
