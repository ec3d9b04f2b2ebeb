/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.ProxyRt;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChildCommandTest {
    @Test
    void shouldRunTheSameProgramOnTheSameJvm() {
        List<String> command = ChildCommand.of(ProxyRt.class, List.of("perf", "a b"), Map.of());
        assertTrue(Files.isExecutable(Path.of(command.getFirst())));
        assertTrue(command.contains("-XX:-UsePerfData"));
        assertTrue(command.contains("-XX:+UseSerialGC"));
        assertEquals(List.of("perf", "a b"), command.subList(command.size() - 2, command.size()));
        assertTrue(command.get(command.size() - 3).endsWith("io.proxyrt.cli.ProxyRt"));
    }

    @Test
    void shouldHandOnOptionsOfTheJvm() {
        List<String> command = ChildCommand.of(ProxyRt.class, List.of(),
                Map.of("PROXYRT_JAVA_OPTS", "  -Xmx64m\t-XX:+UseParallelGC "));
        assertTrue(command.containsAll(List.of("-Xmx64m", "-XX:+UseParallelGC")));
        assertFalse(command.contains("-XX:+UseSerialGC"));
        assertFalse(command.contains(""));
    }

    @Test
    void shouldHandOnNativeAccess() {
        assertTrue(ChildCommand.of(ProxyRt.class, List.of(), Map.of())
                .contains("--enable-native-access=io.proxyrt.natives,org.newsclub.net.unix"));
    }

    @Test
    void shouldHandOnPropertiesOfTheRuntime() {
        System.setProperty("proxyrt.idle.spins", "7");
        try {
            assertTrue(ChildCommand.of(ProxyRt.class, List.of(), Map.of()).contains("-Dproxyrt.idle.spins=7"));
        } finally {
            System.clearProperty("proxyrt.idle.spins");
        }
    }

    @Test
    void shouldNotHandOnASecret() {
        System.setProperty("proxyrt.secret", "hush");
        try {
            assertFalse(ChildCommand.of(ProxyRt.class, List.of(), Map.of()).toString().contains("hush"));
        } finally {
            System.clearProperty("proxyrt.secret");
        }
    }
}
