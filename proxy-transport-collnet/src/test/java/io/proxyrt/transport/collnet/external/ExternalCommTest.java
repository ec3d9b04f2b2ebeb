/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExternalCommTest {
    private static final int INVALID = -ProxyResult.INVALID_ARGUMENT.code();
    private static final long RESULT = 2048;

    private final FakeCollNetLibrary library = new FakeCollNetLibrary();

    private static long allReduce(Participants all, int rank, long count) {
        CollNetMemory memory = all.memories.get(rank);
        return all.comms.get(rank).iallreduce(memory, 0, memory, RESULT, count, DataType.INT32, RedOp.SUM);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void shouldAddUpWhatAllParticipantsHave(int nRanks) {
        try (Participants all = new Participants(library, nRanks)) {
            for (int rank = 0; rank < nRanks; rank++) {
                for (int i = 0; i < 100; i++) {
                    all.memory(rank).setAtIndex(JAVA_INT, i, 1000 * rank + i);
                }
            }
            for (int rank = 0; rank < nRanks; rank++) {
                assertEquals(2, allReduce(all, rank, 100));
                assertEquals(rank == nRanks - 1 ? 1 : 0, all.comms.get(rank).test(2));
            }
            for (int rank = 0; rank < nRanks - 1; rank++) {
                assertEquals(1, all.comms.get(rank).test(2));
            }
            for (int rank = 0; rank < nRanks; rank++) {
                assertEquals(1000 * nRanks * (nRanks - 1) / 2 + 99 * nRanks,
                        all.memory(rank).get(JAVA_INT, RESULT + 99 * 4));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 96", "0, 16", "24, 48", "40, 8", "88, 8"})
    void shouldGatherAWindowOfAllParts(long offset, long bytes) {
        CollNetWindow window = new CollNetWindow().set(32, offset, bytes);
        try (Participants all = new Participants(library, 3)) {
            for (int rank = 0; rank < 3; rank++) {
                for (int i = 0; i < 8; i++) {
                    all.memory(rank).setAtIndex(JAVA_INT, i, 8 * rank + i);
                }
                long from = window.begin(rank) - 32L * rank;
                // Of no meaning where the part does not meet the window.
                assertEquals(2, all.comms.get(rank).iallgather(all.memories.get(rank),
                        window.length(rank) == 0 ? -7 : from, all.memories.get(rank), RESULT, window));
            }
            for (int rank = 0; rank < 3; rank++) {
                assertEquals(1, all.comms.get(rank).test(2), all.comms.get(rank).failure());
                for (int i = 0; i < bytes / 4; i++) {
                    assertEquals(offset / 4 + i, all.memory(rank).get(JAVA_INT, RESULT + i * 4L));
                }
                assertEquals(0, all.memory(rank).get(JAVA_INT, RESULT + bytes));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 96", "0, 16", "24, 48", "40, 8", "88, 8"})
    void shouldScatterAWindowOfTheSum(long offset, long bytes) {
        CollNetWindow window = new CollNetWindow().set(32, offset, bytes);
        try (Participants all = new Participants(library, 3)) {
            for (int rank = 0; rank < 3; rank++) {
                for (int i = 0; i < 24; i++) {
                    all.memory(rank).setAtIndex(JAVA_INT, i, 100 * rank + i);
                }
                assertEquals(2, all.comms.get(rank).ireducescatter(all.memories.get(rank), offset,
                        all.memories.get(rank), window.length(rank) == 0 ? 1 << 20 : RESULT, window, DataType.INT32,
                        RedOp.SUM));
            }
            for (int rank = 0; rank < 3; rank++) {
                assertEquals(1, all.comms.get(rank).test(2), all.comms.get(rank).failure());
                long first = window.begin(rank) / 4;
                for (int i = 0; i < window.length(rank) / 4; i++) {
                    assertEquals(300 + 3 * (first + i), all.memory(rank).get(JAVA_INT, RESULT + i * 4L));
                }
                assertEquals(0, all.memory(rank).get(JAVA_INT, RESULT + window.length(rank)));
            }
        }
    }

    @Test
    void shouldTestInAnyOrderThoughThePlugInIsAskedForTheOldest() {
        try (Participants all = new Participants(library, 1)) {
            CollNetComm comm = all.comms.getFirst();
            long first = allReduce(all, 0, 1);
            long second = allReduce(all, 0, 1);
            assertEquals(1, comm.test(second));
            assertEquals(2, library.tests);
            assertEquals(1, comm.test(first));
            assertEquals(2, library.tests, "it was known to be complete");
            assertEquals(INVALID, comm.test(first));
            assertEquals("request 2 is not outstanding", comm.failure());
            assertEquals(INVALID, comm.test(0));
            assertEquals(INVALID, comm.test(-1));
            assertEquals(INVALID, comm.test(100));
        }
    }

    @Test
    void shouldBearEightRequestsAndRefuseMore() {
        try (Participants all = new Participants(library, 2)) {
            for (int i = 0; i < ExternalComm.MAX_CALLS; i++) {
                assertTrue(allReduce(all, 0, 1) > 0);
            }
            assertEquals(0, allReduce(all, 0, 1));
            assertTrue(allReduce(all, 1, 1) > 0);
            assertEquals(1, all.comms.getFirst().test(2));
            assertTrue(allReduce(all, 0, 1) > 0);
        }
    }

    @Test
    void shouldTryAgainWhatThePlugInHasNoRoomFor() {
        library.room = 1;
        try (Participants all = new Participants(library, 1)) {
            long request = allReduce(all, 0, 1);
            assertEquals(0, allReduce(all, 0, 1));
            assertEquals(1, all.comms.getFirst().test(request));
            assertEquals(4, allReduce(all, 0, 1));
        }
    }

    @Test
    void shouldFailForGoodWhereParticipantsDisagree() {
        library.warning = "calls differ";
        try (Participants all = new Participants(library, 2)) {
            assertEquals(2, allReduce(all, 0, 8));
            assertEquals(2, allReduce(all, 1, 9));
            CollNetComm comm = all.comms.getFirst();
            assertEquals(-ProxyResult.INVALID_USAGE.code(), comm.test(2));
            assertEquals("test of tree0 of Fake (libfake.so) returned 5, INVALID_USAGE; its last warning was: "
                    + "calls differ", comm.failure());
            assertEquals(-ProxyResult.INVALID_USAGE.code(), allReduce(all, 0, 8));
            assertEquals(-ProxyResult.INVALID_USAGE.code(), comm.iflush(all.memories.getFirst(), 0, 8));
        }
    }

    @ParameterizedTest
    @CsvSource({"iallreduce", "iallgather", "ireducescatter"})
    void shouldFailWithTheFunctionThatFailed(String function) {
        library.codes.put(function, 99);
        try (Participants all = new Participants(library, 1)) {
            CollNetComm comm = all.comms.getFirst();
            CollNetMemory memory = all.memories.getFirst();
            CollNetWindow window = new CollNetWindow().set(8, 0, 8);
            long code = switch (function) {
                case "iallreduce" -> allReduce(all, 0, 1);
                case "iallgather" -> comm.iallgather(memory, 0, memory, RESULT, window);
                default -> comm.ireducescatter(memory, 0, memory, RESULT, window, DataType.INT32, RedOp.SUM);
            };
            assertEquals(-ProxyResult.INTERNAL_ERROR.code(), code);
            assertEquals(function + " of tree0 of Fake (libfake.so) returned 99, INTERNAL_ERROR, and has not logged "
                    + "why", comm.failure());
        }
    }

    @Test
    void shouldRefuseWhatCannotBeCarried() {
        try (Participants all = new Participants(library, 2); Participants others = new Participants(library, 2);
                Arena arena = Arena.ofConfined()) {
            CollNetComm comm = all.comms.getFirst();
            CollNetMemory memory = all.memories.getFirst();
            assertRefused(comm, allReduce(all, 0, 0), "0 elements of INT32; tree0 of Fake (libfake.so) carries 1 to");
            assertRefused(comm, allReduce(all, 0, (1 << 18) + 1), "carries 1 to 262144");
            assertRefused(comm, allReduce(all, 0, Long.MAX_VALUE), "carries 1 to 262144");
            assertRefused(comm, allReduce(all, 0, 513), "bytes 2048 to 2048 + 2052 are not within the 4096");
            assertRefused(comm, comm.iallreduce(memory, -1, memory, 0, 1, DataType.INT32, RedOp.SUM), "bytes -1 to");
            assertRefused(comm, comm.iallreduce(memory, 0, others.memories.getFirst(), 0, 1, DataType.INT32,
                    RedOp.SUM), "memory is not registered with this comm");
            assertRefused(comm, comm.iallreduce(memory, 0, memory, 8, 1, DataType.INT32, RedOp.PROD), "no PROD of");
            assertRefused(comm, comm.iallreduce(memory, 0, memory, 8, 1, DataType.INT32, RedOp.AVG), "no AVG of INT32");
            CollNetMemory closed = comm.regMr(library.expose(arena.allocate(8)));
            closed.close();
            assertRefused(comm, comm.iallreduce(closed, 0, memory, 8, 1, DataType.INT32, RedOp.SUM), "no longer");
            assertTrue(allReduce(all, 0, 512) > 0, "and the comm goes on");
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 0, 17", "8, -4, 8", "8, 12, 8", "0, 0, 8", "8, 0, 0", "8, 2, 8", "6, 0, 8",
        "4611686018427387904, 0, 8", "1073741824, 0, 1048580"})
    void shouldRefuseAWindowThatIsNotOfTheParts(long bytesPerRank, long offset, long bytes) {
        try (Participants all = new Participants(library, 2)) {
            CollNetComm comm = all.comms.getFirst();
            CollNetMemory memory = all.memories.getFirst();
            CollNetWindow window = new CollNetWindow().set(bytesPerRank, offset, bytes);
            assertRefused(comm, comm.ireducescatter(memory, 0, memory, RESULT, window, DataType.INT32, RedOp.SUM),
                    "a window of " + bytes + " bytes from byte " + offset + " of 2 parts of " + bytesPerRank);
        }
    }

    @Test
    void shouldSayThatAnOldPlugInHasAllReduceAlone() {
        library.hasWindows = false;
        try (Participants all = new Participants(library, 1)) {
            CollNetComm comm = all.comms.getFirst();
            CollNetMemory memory = all.memories.getFirst();
            CollNetWindow window = new CollNetWindow().set(8, 0, 8);
            assertEquals(-ProxyResult.INVALID_USAGE.code(), comm.iallgather(memory, 0, memory, RESULT, window));
            assertEquals("the plug-in has no iallgather, by its ncclCollNet_v7", comm.failure());
            assertEquals(-ProxyResult.INVALID_USAGE.code(),
                    comm.ireducescatter(memory, 0, memory, RESULT, window, DataType.INT32, RedOp.SUM));
            assertEquals(2, allReduce(all, 0, 1));
        }
    }

    @Test
    void shouldFlushMemoryOfAGpuAndNoneOfTheHost() {
        library.devices.set(0, FakeCollNetLibrary.device("tree0", 5, 0));
        try (Participants all = new Participants(library, 1); Arena arena = Arena.ofShared()) {
            CollNetComm comm = all.comms.getFirst();
            assertEquals(0, comm.iflush(all.memories.getFirst(), 0, 8), "of the host");
            assertEquals(0, library.flushedBytes);
            MemorySegment range = library.expose(arena.allocate(Participants.BYTES, 8));
            CollNetMemory memory = comm.regMrDmaBuf(range, new DmaBuf(new OwnedFd(7, any -> { }), 0));
            assertEquals(0, comm.iflush(memory, 0, 0));
            long flush = comm.iflush(memory, 8, 24);
            assertEquals(24, library.flushedBytes);
            long request = allReduce(all, 0, 1);
            assertTrue(flush > 0 && request > 0 && flush != request);
            assertEquals(1, comm.test(request));
            assertEquals(1, comm.test(flush));
            assertRefused(comm, comm.iflush(memory, 0, Participants.BYTES + 1), "are not within");
        }
    }

    @Test
    void shouldEndRegistrationsWithTheComm() {
        try (Participants all = new Participants(library, 1)) {
            CollNetComm comm = all.comms.getFirst();
            comm.close();
            comm.close();
            all.memories.getFirst().close();
            assertEquals(List.of("deregMr[]", "closeColl[]"), library.calls.subList(library.calls.size() - 2,
                    library.calls.size()));
            assertEquals(-ProxyResult.INVALID_USAGE.code(), allReduce(all, 0, 1));
            assertEquals(ProxyResult.INVALID_USAGE, assertThrows(ProxyException.class,
                    () -> comm.regMr(MemorySegment.ofArray(new byte[8]))).result());
        }
        assertEquals("finish[5]", library.calls.getLast());
    }

    @Test
    void shouldRegisterOnlyMemoryThatAPlugInCanReach() {
        try (Participants all = new Participants(library, 1); Arena arena = Arena.ofConfined()) {
            CollNetComm comm = all.comms.getFirst();
            for (Map.Entry<MemorySegment, String> each : Map.of(MemorySegment.ofArray(new byte[8]), "on the Java heap",
                    arena.allocate(8).asReadOnly(), "read-only memory").entrySet()) {
                ProxyException refusal = assertThrows(ProxyException.class, () -> comm.regMr(each.getKey()));
                assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
                assertTrue(refusal.getMessage().contains(each.getValue()), refusal.getMessage());
            }
            comm.regMr(arena.allocate(0)).close();
        }
    }

    private static void assertRefused(CollNetComm comm, long result, String reason) {
        assertEquals(INVALID, result);
        assertTrue(comm.failure().contains(reason), comm.failure());
    }
}
