/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that CUDA's driver gave to other code of the process, which never heard of proxyrt; on a real GPU only. */
@Tag("installed-gpu")
class DriverMemoryTest {
    private static final int RANKS = 2;
    private static final int COUNT = 30_000;
    private static final long BYTES = Integer.BYTES * (long) COUNT;
    private static final long OFFSET = 4096;

    @TempDir
    Path directory;

    /** The driver's own calls, for the calling thread's current device. */
    @SuppressWarnings("restricted")
    private static final class Driver {
        private final SymbolLookup library = SymbolLookup.libraryLookup("libcuda.so.1", Arena.global());
        private final MethodHandle allocate = call("cuMemAlloc_v2",
                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
        private final MethodHandle free = call("cuMemFree_v2", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

        private MethodHandle call(String name, FunctionDescriptor descriptor) {
            return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), descriptor);
        }

        long allocate(long bytes) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment address = arena.allocate(JAVA_LONG);
                assertEquals(0, (int) allocate.invokeExact(address, bytes));
                return address.get(JAVA_LONG, 0);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        void free(long address) {
            try {
                assertEquals(0, (int) free.invokeExact(address));
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHM", "NET", "P2P"})
    void shouldReduceInPlaceWhatTheDriverAllocated(String transport) throws Exception {
        assumeTrue(GpuRanks.isInstalled("cuda"), "no NVIDIA GPU");
        List<ProxyConfig> configs = IntStream.range(0, RANKS).mapToObj(rank ->
                GpuRanks.config(directory, ThreadingMode.INVOKER, transport, rank).build()).toList();
        assertEquals(Arrays.asList(null, null), InProcessRanks.failures(configs, comm -> {
            Driver driver = new Driver();
            long address = driver.allocate(OFFSET + BYTES);
            reduce(comm, address + OFFSET);
            comm.barrier();
            driver.free(address);
        }));
    }

    private static void reduce(Communicator comm, long address) {
        Device device = comm.proxy().device();
        try (DeviceMemory tensor = device.wrap(address, BYTES); RankBuffer buffer = new RankBuffer(comm, tensor, 0)) {
            buffer.write(ints(i -> i + comm.rank()));
            comm.allReduce(buffer.range(), buffer.range(), COUNT, DataType.INT32, RedOp.SUM);
            comm.synchronize();
            assertEquals(-1, ints(i -> 2 * i + 1).mismatch(buffer.read(BYTES)));
        }
    }

    private static MemorySegment ints(IntUnaryOperator value) {
        return MemorySegment.ofArray(IntStream.range(0, COUNT).map(value).toArray());
    }
}
