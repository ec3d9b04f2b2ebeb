/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.Option;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The list of plug-ins, by NCCL's rules. */
class PluginNamesTest {
    private static final Option<String> OPTION = CoreOptions.NET_PLUGIN;

    private static List<String> files(String entry) {
        return PluginNames.files(entry, PluginNames.NET);
    }

    @Test
    void shouldTryThePlugInWithoutANameIfNoneIsListed() {
        assertEquals(List.of(""), PluginNames.entries(OPTION, ""));
        assertEquals(List.of("libnccl-net.so", "librccl-net.so"), files(""));
    }

    @Test
    void shouldTryNoneIfAsked() {
        assertEquals(List.of(), PluginNames.entries(OPTION, "none"));
    }

    @Test
    void shouldKeepTheOrderOfTheList() {
        assertEquals(List.of("ofi", "/opt/x/libnccl-net.so", "anp"),
                PluginNames.entries(OPTION, "ofi, /opt/x/libnccl-net.so,anp,ofi"));
    }

    @Test
    void shouldTakeANameForAFileFirstAndThenForPartOfOne() {
        assertEquals(List.of("ofi", "libnccl-net-ofi.so", "librccl-net-ofi.so"), files("ofi"));
        assertEquals(List.of("ofi.so", "libnccl-net-ofi.so.so", "librccl-net-ofi.so.so"), files("ofi.so"));
    }

    @Test
    void shouldTakeAPathALibraryAndTheProgramAsTheyAre() {
        for (String file : List.of("/opt/plugins/net", "./libx.so", "libnccl-net-ofi.so", "STATIC_PLUGIN")) {
            assertEquals(List.of(file), files(file));
        }
    }

    @Test
    void shouldRefuseMoreThanNcclTakes() {
        assertEquals(14, PluginNames.entries(OPTION, numbered(14)).size());
        assertInvalid(numbered(15));
        assertEquals(1, PluginNames.entries(OPTION, "x".repeat(254)).size());
        assertInvalid("x".repeat(255));
    }

    private static String numbered(int n) {
        StringBuilder list = new StringBuilder("p0");
        for (int i = 1; i < n; i++) {
            list.append(",p").append(i);
        }
        return list.toString();
    }

    private static void assertInvalid(String list) {
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                assertThrows(ProxyException.class, () -> PluginNames.entries(OPTION, list)).result());
    }
}
