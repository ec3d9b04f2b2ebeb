/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GpuCommunicatorTest {
    @TempDir
    Path directory;

    private List<ProxyConfig> configs(int nRanks, String transport, ProtocolChoice protocol) {
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        return IntStream.range(0, nRanks).mapToObj(rank -> InProcessRanks.config(directory, ThreadingMode.INVOKER,
                transport).set("proxyrt." + gpu.option(), gpu.folder().toString())
                .set(CoreOptions.DEVICE, "cuda:" + rank % 2).set(CollectivesOptions.GPU_THREADS, 4)
                .set(CollectivesOptions.CHANNELS, 2)
                .set(CollectivesOptions.PROTOCOL, protocol).build()).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHM", "NET", "P2P"})
    void shouldAddUp(String transport) throws Exception {
        for (ProtocolChoice protocol : new ProtocolChoice[] {ProtocolChoice.SIMPLE, ProtocolChoice.LL, ProtocolChoice.LL128}) {
        for (Throwable failure : InProcessRanks.failures(configs(2, transport, protocol), comm -> {
            for (int count : new int[] {1, 3, 1000, 100_000}) {
                try (RankBuffer in = new RankBuffer(comm, count * 4L); RankBuffer out = new RankBuffer(comm, count * 4L)) {
                    MemorySegment values = Arena.ofAuto().allocate(count * 4L, 4);
                    for (int i = 0; i < count; i++) {
                        values.setAtIndex(JAVA_FLOAT, i, i + comm.rank());
                    }
                    in.write(values);
                    comm.allReduce(in.range(), out.range(), count, DataType.FLOAT32, RedOp.SUM);
                    comm.synchronize();
                    MemorySegment got = out.read(count * 4L);
                    for (int i = 0; i < count; i++) {
                        assertEquals(2f * i + 1, got.getAtIndex(JAVA_FLOAT, i), transport + protocol + " " + i + " of " + count);
                    }
                    comm.sendRecv(in.range(), 1 - comm.rank(), out.range(), 1 - comm.rank());
                    comm.synchronize();
                    got = out.read(count * 4L);
                    for (int i = 0; i < count; i++) {
                        assertEquals(i + 1f - comm.rank(), got.getAtIndex(JAVA_FLOAT, i), () -> transport + protocol);
                    }
                }
            }
        })) {
            if (failure != null) {
                failure.printStackTrace();
            }
            assertNull(failure, () -> String.valueOf(failure));
        }
        }
    }
}
