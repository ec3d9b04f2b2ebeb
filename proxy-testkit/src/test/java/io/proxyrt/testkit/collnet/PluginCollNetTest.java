/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.collnet;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.plugin.ShmCollNetPlugin;
import io.proxyrt.transport.collnet.CollNetProviders;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The collectives of a plug-in in C, by its table. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PluginCollNetTest {
    @BeforeAll
    static void requireACompiler() {
        assumeTrue(ShmCollNetPlugin.whyNot().isEmpty(), ShmCollNetPlugin::whyNot);
    }

    static CollNetPlugin plugIn(int version, int rank) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.NET_PLUGIN, ShmCollNetPlugin.library(version).toString()).build();
        return CollNetProviders.of(config).getFirst().create(config, rank);
    }

    abstract static class Conformance extends CollNetPluginConformance {
        private final int version;

        Conformance(int version) {
            this.version = version;
        }

        @Override
        protected CollNetPlugin open(int rank) {
            return plugIn(version, rank);
        }

        /** All that a plug-in's handle tells is its length. */
        @Override
        @Test
        void shouldRefuseHandlesThatAreNoneOfItsOwn() {
            try (CollNetListenComm listen = net().listen(0)) {
                for (int length = 0; length <= 2 * CollNetPlugin.HANDLE_BYTES; length++) {
                    byte[] junk = new byte[length];
                    Arrays.fill(junk, (byte) (length == CollNetPlugin.HANDLE_BYTES ? 0 : 7));
                    List<ByteBuffer> handles = List.of(listen.handle(), ByteBuffer.wrap(junk));
                    assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                            () -> net().connect(0, handles, 0, listen)).result());
                }
            }
        }
    }

    @Nested
    class OfVersion12 extends Conformance {
        OfVersion12() {
            super(12);
        }
    }

    @Nested
    class OfVersion8 extends Conformance {
        OfVersion8() {
            super(8);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 7})
    void shouldReduceWhereThereIsAllReduceAlone(int version) {
        List<CollNetPlugin> nets = new ArrayList<>();
        try (Arena arena = Arena.ofShared()) {
            nets.add(plugIn(version, 0));
            nets.add(plugIn(version, 1));
            try (CollNetGroup group = CollNetGroup.connect(nets, arena, 4096)) {
                for (int rank = 0; rank < 2; rank++) {
                    group.sources[rank].setAtIndex(JAVA_INT, 7, 40 + rank);
                }
                group.run(rank -> group.comms[rank].iallreduce(group.sends[rank], 0, group.recvs[rank], 0, 1024,
                        DataType.INT32, RedOp.PROD));
                assertEquals(40 * 41, group.targets[0].getAtIndex(JAVA_INT, 7));
                assertEquals(40 * 41, group.targets[1].getAtIndex(JAVA_INT, 7));
                assertEquals(-ProxyResult.INVALID_USAGE.code(), group.comms[0].iallgather(group.sends[0], 0,
                        group.recvs[0], 0, new CollNetWindow().set(8, 0, 16)));
            }
            assertTrue(nets.getFirst().explain().stream().anyMatch(line -> line.startsWith("collectives: all_reduce "
                    + "alone")), nets.getFirst().explain()::toString);
            assertEquals(ShmCollNetPlugin.NAME, nets.getFirst().name());
        } finally {
            nets.forEach(CollNetPlugin::close);
        }
    }
}
