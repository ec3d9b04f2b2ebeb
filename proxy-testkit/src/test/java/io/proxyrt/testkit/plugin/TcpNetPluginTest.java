/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TcpNetPluginTest {
    private static final int OLDEST = 6;
    private static final int NEWEST = 12;

    @BeforeAll
    static void requireACompiler() {
        assumeTrue(TcpNetPlugin.whyNot().isEmpty(), TcpNetPlugin::whyNot);
    }

    @Test
    @SuppressWarnings("restricted")
    void shouldExportTheTableOfItsVersionAlone() {
        for (int version = OLDEST; version <= NEWEST; version++) {
            SymbolLookup library = SymbolLookup.libraryLookup(TcpNetPlugin.library(version), Arena.global());
            List<Integer> exported = IntStream.rangeClosed(1, NEWEST + 1)
                    .filter(n -> library.find("ncclNetPlugin_v" + n).isPresent()).boxed().toList();
            assertEquals(List.of(version), exported);
        }
    }

    @Test
    void shouldBeMadeOncePerWayToBehave() {
        assertEquals(TcpNetPlugin.library(NEWEST), TcpNetPlugin.library(NEWEST));
        assertTrue(!TcpNetPlugin.library(NEWEST).equals(TcpNetPlugin.library(NEWEST, TcpNetPlugin.IN_ORDER)));
    }

    @Test
    void shouldSayWhatTheCompilerSays() {
        IllegalStateException failure = assertThrows(IllegalStateException.class,
                () -> TcpNetPlugin.library(NEWEST + 1));
        assertTrue(failure.getMessage().contains("-DNET_VERSION is 6 to 12"), failure.getMessage());
    }

    @Test
    void shouldKnowEveryFault() throws IOException {
        try (InputStream source = TcpNetPlugin.class.getResourceAsStream("plugin.c")) {
            String text = new String(source.readAllBytes(), StandardCharsets.UTF_8);
            for (NetFault fault : NetFault.values()) {
                assertTrue(text.contains(" X(" + fault + ")"), fault::name);
            }
        }
    }
}
