/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Collectives and messages over the IB network, by adapters of software: two of each rank. */
class IbCollectivesTest {
    @TempDir
    Path directory;

    static Stream<Arguments> all() {
        return Extent.sample(5, Stream.of("LL", "LL128", "SIMPLE").flatMap(protocol -> Stream.of(2, 4)
                .flatMap(ranks -> Stream.of(ThreadingMode.values()).map(mode -> Arguments.of(protocol, ranks, mode)))));
    }

    private ProxyConfig config(String protocol, ThreadingMode mode) {
        return InProcessRanks.config(directory, mode).set("net", "SoftIB").set("coll.protocol", protocol)
                .set(CollectivesOptions.CHANNELS, 3).build();
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldReduceGatherAndSend(String protocol, int nRanks, ThreadingMode mode) throws Exception {
        InProcessRanks.run(nRanks, config(protocol, mode), CheckedTalk::talk);
    }
}
