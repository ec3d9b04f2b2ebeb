/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthCommandTest {
    @TempDir
    private Path base;

    @Test
    void shouldEndWithZeroOnlyIfAllRuntimesAreHealthy() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, base.toString()).build();
        StringWriter text = new StringWriter();
        assertEquals(1, run(text));
        assertTrue(text.toString().startsWith("no running runtime found under "), text::toString);

        long pid = ProcessHandle.current().pid();
        try (RuntimeDirectory first = RuntimeDirectory.create(config, 0);
                Counters counters = Counters.create(first.counters(), "a job", 0, 2);
                RuntimeDirectory second = RuntimeDirectory.create(config, 1);
                Counters others = Counters.create(second.counters(), "a job", 1, 2)) {
            counters.heartbeat(System.currentTimeMillis());
            others.heartbeat(System.currentTimeMillis());
            text.getBuffer().setLength(0);
            assertEquals(0, run(text), text::toString);
            assertEquals("rank 0 (pid " + pid + "): healthy\nrank 1 (pid " + pid + "): healthy\n", text.toString());

            others.failure(ProxyResult.TIMEOUT.code(), "nothing moved");
            text.getBuffer().setLength(0);
            assertEquals(1, run(text));
            assertTrue(text.toString().endsWith("rank 1 (pid " + pid + "): failed: nothing moved\n"), text::toString);
        }
    }

    private int run(StringWriter text) {
        return ProxyRt.commandLine().setOut(new PrintWriter(text)).execute("health", "--directory", base.toString());
    }
}
