/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A kernel that fills, a collective, a kernel that checks: one behind the other on a stream of the user. */
@Tag("installed-gpu")
class UserStreamTest {
    private static final int COUNT = 5000;
    private static final int ROUNDS = 20;
    private static final LaunchShape ONE = LaunchShape.of(1, 1);
    private static final String KERNELS = """
            extern "C" __global__ void fill(long long* data, long long count, long long value) {
                for (long long i = 0; i < count; i++) {
                    data[i] = value + i;
                }
            }

            extern "C" __global__ void check(long long* data, long long count, long long value, long long factor,
                    long long* wrong) {
                for (long long i = 0; i < count; i++) {
                    if (data[i] != value + factor * i) {
                        *wrong += 1;
                    }
                }
            }
            """;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"SHM, false", "SHM, true", "NET, true", "P2P, false"})
    void shouldBeInOrderWithKernelsOfTheUser(String transport, boolean isForeign) throws Exception {
        GpuRanks.assumeRoomFor(2);
        List<ProxyConfig> configs = IntStream.range(0, 2).mapToObj(rank -> GpuRanks.config(directory,
                ThreadingMode.DEDICATED, transport, rank).build()).toList();
        for (Throwable failure : InProcessRanks.failures(configs, comm -> {
            Device device = comm.proxy().device();
            warmUp(comm);
            try (DeviceModule module = device.compile("user", KERNELS);
                    DeviceStream own = device.stream("user");
                    DeviceStream stream = isForeign ? device.wrapStream(own.handle(), "foreign") : own;
                    DeviceMemory data = device.allocate(8 * COUNT);
                    DeviceMemory wrong = device.allocateHost(8)) {
                DeviceKernel fill = module.kernel("fill");
                DeviceKernel check = module.kernel("check");
                // A driver loads a kernel when it is first launched, and waits then for all that run.
                give(stream, fill, data.address(), COUNT, 0);
                give(stream, check, data.address(), 0, 0, 0, wrong.address());
                stream.synchronize(Duration.ofMinutes(1));
                wrong.segment().set(JAVA_LONG, 0, 0);
                comm.barrier();
                for (int round = 0; round < ROUNDS; round++) {
                    give(stream, fill, data.address(), COUNT, round + comm.rank());
                    comm.group(stream, calls -> calls.allReduce(data.range(), data.range(), COUNT, DataType.INT64,
                            RedOp.SUM));
                    give(stream, check, data.address(), COUNT, 2 * round + 1, 2, wrong.address());
                }
                stream.synchronize(Duration.ofMinutes(1));
                assertEquals(0, wrong.segment().get(JAVA_LONG, 0));
                comm.synchronize();
                comm.barrier();
            }
        })) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }

    /** Nothing was launched: so nothing ends. */
    @Test
    void shouldGoOnWhenAStreamRefuses() throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, 2).mapToObj(rank -> GpuRanks.config(directory,
                ThreadingMode.DEDICATED, "SHM", rank).build()).toList();
        for (Throwable failure : InProcessRanks.failures(configs, comm -> {
            DeviceStream closed = comm.proxy().device().stream("closed");
            closed.close();
            ProxyException refusal = assertThrows(ProxyException.class, () -> comm.group(closed, calls -> { }));
            assertTrue(refusal.getMessage().contains("the order with a stream of the user"), refusal.getMessage());
            warmUp(comm);
        })) {
            assertNull(failure);
        }
    }

    /** Loads the kernel, for which ranks wait. */
    private static void warmUp(Communicator comm) {
        try (RankBuffer data = new RankBuffer(comm, 8)) {
            comm.allReduce(data.range(), data.range(), 1, DataType.INT64, RedOp.SUM);
            comm.synchronize();
            comm.barrier();
        }
    }

    private static void give(DeviceStream stream, DeviceKernel kernel, long... arguments) {
        MemorySegment words = Arena.ofAuto().allocateFrom(JAVA_LONG, arguments);
        int given = stream.launch(kernel, ONE, words);
        while (given == 0) {
            Thread.onSpinWait();
            given = stream.launch(kernel, ONE, words);
        }
        assertEquals(1, given, stream::failure);
    }

    @Test
    void shouldSayThatTheHostHasNoSuchStream() throws Exception {
        InProcessRanks.run(1, InProcessRanks.config(directory, ThreadingMode.INVOKER).build(), comm -> {
            try (DeviceStream stream = comm.proxy().device().stream("user")) {
                ProxyException refusal = assertThrows(ProxyException.class, () -> comm.group(stream, calls -> { }));
                assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
            }
        });
    }
}
