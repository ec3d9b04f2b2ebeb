/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A line of which one half is there, which between ranks is so for too short a time to be met. */
class KernelLinesTest {
    private static final int FLAG = 9;
    private static final String READ = """
            extern "C" __global__ void readLine(const u64* line, u64 protocol, u64 flag, u64* answer) {
                __shared__ Shared shared;
                Connection connection = {};
                Status status = {};
                u64 abortWord = 0;
                Launch launch = {&connection, &status, &abortWord, 1, 1000000};
                Block block;
                block.open(launch, &shared, (u32) protocol);
                block.recv.open(&connection, (u32) protocol);
                block.recv.step = flag - 1;
                answer[0] = protocol == LL ? block.awaitLine(block.recv, line, (u32) flag, 0, answer[1])
                        : block.awaitFlag(block.recv, line);
            }
            """;

    @ParameterizedTest
    @CsvSource({"9, 9, 1", "9, 1, 0", "1, 9, 0", "1, 1, 0", "10, 10, 0"})
    void shouldTakeALineOfLlWhoseHalvesBothHaveTheFlag(long low, long high, long taken) {
        long[] answer = read(Protocol.LL, low << 32 | 0x1234, high << 32 | 0x5678);
        assertEquals(taken, answer[0]);
        assertEquals(taken == 0 ? 0 : 0x5678_0000_1234L, answer[1]);
    }

    @ParameterizedTest
    @CsvSource({"9, 1", "1, 0", "17, 0", "0, 0"})
    void shouldTakeALineOfLl128ThatHasTheFlag(long flag, long taken) {
        assertEquals(taken, read(Protocol.LL128, flag, 0)[0]);
    }

    private static long[] read(Protocol protocol, long low, long high) {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
        try (Arena arena = Arena.ofConfined();
                Device device = Devices.open("cuda:0", 0, StandInGpu.of(GpuAbi.CUDA).config());
                DeviceModule module = device.compile("lines", KernelSource.plain() + READ);
                DeviceMemory words = device.allocateHost(4 * Long.BYTES);
                DeviceStream stream = device.stream("proxy-lines")) {
            words.segment().copyFrom(MemorySegment.ofArray(new long[] {low, high, 0, 0}));
            MemorySegment arguments = arena.allocateFrom(JAVA_LONG, words.address(), protocol.ordinal(), FLAG,
                    words.address() + 2 * Long.BYTES);
            assertEquals(1, stream.launch(module.kernel("readLine"), LaunchShape.of(1, 1), arguments));
            stream.synchronize(Duration.ofMinutes(2));
            return new long[] {words.segment().getAtIndex(JAVA_LONG, 2), words.segment().getAtIndex(JAVA_LONG, 3)};
        }
    }
}
