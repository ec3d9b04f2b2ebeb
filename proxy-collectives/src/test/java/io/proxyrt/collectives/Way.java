/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** What carries data between the ranks of a test. */
enum Way {
    NET("NET"), SHM("SHM"), SHM_COPY("SHM", "shm.use.memcpy"), P2P("P2P", "p2p.host"),
    P2P_COPY("P2P", "p2p.host", "p2p.use.memcpy"), P2P_IPC("P2P", "p2p.host", "p2p.direct.disable"),
    P2P_READ("P2P", "p2p.host", "p2p.read.enable"), GPU_SHM("SHM"), GPU_SHM_COPY("SHM", "shm.use.memcpy"),
    GPU_P2P("P2P"), GPU_P2P_READ("P2P", "p2p.read.enable"), GPU_NET("NET");

    private final String transport;
    private final List<String> options;

    Way(String transport, String... options) {
        this.transport = transport;
        this.options = List.of(options);
    }

    /** All of them, in all modes. */
    static Stream<Arguments> all() {
        return Extent.sample(11, Stream.of(values()).flatMap(way -> Stream.of(ThreadingMode.values())
                .map(mode -> Arguments.of(way, mode))));
    }

    /** All of them, where each agent has a thread, and where there are none. */
    static Stream<Arguments> extremes() {
        return Extent.sample(7, Stream.of(values()).flatMap(way -> Stream.of(ThreadingMode.DEDICATED,
                ThreadingMode.INVOKER).map(mode -> Arguments.of(way, mode))));
    }

    List<ProxyConfig> configs(Path directory, ThreadingMode mode) {
        return configs(directory, mode, 2, config -> config);
    }

    List<ProxyConfig> configs(Path directory, ThreadingMode mode, int nRanks,
            UnaryOperator<ProxyConfig.Builder> settings) {
        return IntStream.range(0, nRanks).mapToObj(rank -> {
            ProxyConfig.Builder config = name().startsWith("GPU")
                    ? GpuRanks.config(directory, mode, transport, rank)
                    : InProcessRanks.config(directory, mode, transport);
            options.forEach(option -> config.set(option, "1"));
            return settings.apply(config).build();
        }).toList();
    }

    /** Memory that kernels and the test reach. */
    static MemorySegment memory(Communicator comm, long bytes) {
        Device device = comm.proxy().device();
        return device.attributes().kind().equals("host") ? comm.allocate(bytes).segment()
                : device.register(Arena.global().allocate(bytes, 4096)).segment();
    }
}
