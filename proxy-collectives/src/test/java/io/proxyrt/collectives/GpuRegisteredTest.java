/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Registered memory of GPUs: who gets to know of it, and what comes into it. */
@Tag("installed-gpu")
class GpuRegisteredTest {
    private static final int PART = 200_003;

    @TempDir
    Path directory;

    private void run(String transport, boolean isRegistering, InProcessRanks.Body body) throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, 2).mapToObj(rank ->
                GpuRanks.config(directory, ThreadingMode.DEDICATED, transport, rank)
                        .set(CollectivesOptions.PROTOCOL, Allowed.only(Protocol.SIMPLE))
                        .set(CollectivesOptions.REGISTER_BYTES, 1L << 16)
                        .set(CollectivesOptions.REGISTER, isRegistering).build()).toList();
        assertEquals(Arrays.asList(null, null), InProcessRanks.failures(configs, body));
    }

    private static long received(Communicator comm) {
        return comm.proxy().counters().get(Counter.UDS_FDS_RECEIVED);
    }

    private static void gather(Communicator comm, RankBuffer in, RankBuffer out) {
        in.write(Arena.ofAuto().allocate(PART).fill((byte) (7 + comm.rank())));
        out.write(Arena.ofAuto().allocate(2L * PART).fill((byte) 1));
        comm.allGather(in.range(0, PART), out.range(0, 2L * PART), PART, DataType.INT8);
        comm.synchronize();
        MemorySegment all = out.read(2L * PART);
        for (long i = 0; i < 2L * PART; i++) {
            assertEquals(7 + i / PART, all.get(JAVA_BYTE, i));
        }
    }

    /** A descriptor comes from the next rank with the first launch that receives into a buffer, with no later one. */
    @ParameterizedTest
    @CsvSource({"P2P, true, 1", "P2P, false, 0", "SHM, true, 0"})
    void shouldTellTheRankBeforeOfReceiveBuffers(String transport, boolean isRegistering, int descriptors)
            throws Exception {
        run(transport, isRegistering, comm -> {
            try (RankBuffer in = new RankBuffer(comm, PART); RankBuffer out = new RankBuffer(comm, 2L * PART)) {
                comm.barrier();
                long before = received(comm);
                comm.barrier();
                for (int i = 0; i < 3; i++) {
                    gather(comm, in, out);
                    comm.barrier();
                    assertEquals(before + descriptors, received(comm));
                    comm.barrier();
                }
                comm.broadcast(in.range(0, PART), in.range(0, PART), PART, DataType.INT8, 0);
                comm.synchronize();
                comm.barrier();
                assertEquals(before + descriptors, received(comm));
                comm.barrier();
            }
        });
    }

    /** Of memory that comes and goes, later pieces may lie where earlier ones did. */
    @Test
    void shouldGatherIntoMemoryThatComesAndGoes() throws Exception {
        run("P2P", true, comm -> {
            for (int i = 0; i < 20; i++) {
                try (RankBuffer in = new RankBuffer(comm, PART + i);
                        RankBuffer out = new RankBuffer(comm, 2L * PART + 4096 * i)) {
                    gather(comm, in, out);
                    comm.barrier();
                }
            }
        });
    }

    /** The rank in the middle passes on what came into its buffer, to one that has offered a place, or not. */
    @Test
    void shouldPassOnWhatWasPutInPlace() throws Exception {
        int nRanks = 3;
        GpuRanks.assumeRoomFor(nRanks);
        List<ProxyConfig> configs = IntStream.range(0, nRanks).mapToObj(rank ->
                GpuRanks.config(directory, ThreadingMode.DEDICATED, "P2P", rank)
                        .set(CollectivesOptions.PROTOCOL, Allowed.only(Protocol.SIMPLE))
                        .set(CollectivesOptions.REGISTER_BYTES, 1L << 10).build()).toList();
        assertEquals(Arrays.asList(null, null, null), InProcessRanks.failures(configs, comm -> {
            try (RankBuffer known = new RankBuffer(comm, 4L * PART);
                    RankBuffer unknown = new RankBuffer(comm, comm.proxy().device().allocate(4L * PART), 0)) {
                for (int i = 0; i < 8; i++) {
                    RankBuffer buffer = (i >> comm.rank() & 1) == 0 ? known : unknown;
                    buffer.write(ints(k -> k + comm.rank()));
                    comm.allReduce(buffer.range(), buffer.range(), PART, DataType.INT32, RedOp.SUM);
                    comm.synchronize();
                    assertEquals(-1, ints(k -> 3 * k + 3).mismatch(buffer.read(4L * PART)), "all-reduce " + i);
                    int part = PART / nRanks;
                    buffer.write(ints(k -> k / part == comm.rank() ? k : -1));
                    comm.allGather(buffer.range(4L * part * comm.rank(), 4L * part),
                            buffer.range(0, 4L * part * nRanks), part, DataType.INT32);
                    comm.synchronize();
                    assertEquals(-1, ints(k -> k).asSlice(0, 4L * part * nRanks)
                            .mismatch(buffer.read(4L * part * nRanks)), "all-gather " + i);
                    comm.barrier();
                }
            }
        }));
    }

    private static MemorySegment ints(IntUnaryOperator value) {
        return MemorySegment.ofArray(IntStream.range(0, PART).map(value).toArray());
    }

    @Test
    void shouldRegisterWhatHasADescriptorAndNothingElse() throws Exception {
        run("P2P", false, comm -> {
            try (DeviceMemory shareable = comm.proxy().device().allocateShareable(PART);
                    DeviceMemory plain = comm.proxy().device().allocate(PART)) {
                comm.register(shareable).close();
                ProxyException refused = assertThrows(ProxyException.class, () -> comm.register(plain));
                assertEquals(ProxyResult.INVALID_ARGUMENT, refused.result());
                assertTrue(refused.getMessage().contains("allocate it shareable"), refused.getMessage());
                comm.allReduce(shareable.range(), shareable.range(), PART, DataType.INT8, RedOp.MAX);
                comm.synchronize();
                comm.barrier();
            }
        });
    }

    @Test
    void shouldSayThatMemoryCannotBeRegisteredWhereNoGpuReachesIt() throws Exception {
        run("SHM", true, comm -> {
            try (DeviceMemory shareable = comm.proxy().device().allocateShareable(PART)) {
                ProxyException refused = assertThrows(ProxyException.class, () -> comm.register(shareable));
                assertEquals(ProxyResult.INVALID_USAGE, refused.result());
                assertTrue(refused.getMessage().contains("memory cannot be registered"), refused.getMessage());
                comm.barrier();
            }
        });
    }
}
