/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeCensusTest {
    @TempDir
    Path folder;
    private ProxyConfig config;
    private Path base;
    private RuntimeCensus census;
    private long nowNs = Long.MAX_VALUE;

    @BeforeEach
    void place() {
        base = folder.resolve("runtimes");
        config = ProxyConfig.builder().properties(Map.of()).environment(Map.of())
                .set(CoreOptions.DIRECTORY, base.toString()).build();
        census = new RuntimeCensus(config, () -> nowNs);
    }

    @Test
    void shouldCountRuntimesThatComeAndGo() {
        assertEquals(0, census.alive());
        RuntimeDirectory one = RuntimeDirectory.create(config, 0);
        assertEquals(0, census.alive(), "not looked yet");
        assertEquals(1, aliveLater());
        RuntimeDirectory other = RuntimeDirectory.create(config, 1);
        assertEquals(2, aliveLater());
        other.close();
        assertEquals(1, aliveLater());
        one.close();
        assertEquals(0, aliveLater());
    }

    /** Which leave the folder as it is. */
    @Test
    void shouldCountNowAndThenForProcessesThatDie() throws Exception {
        try (RuntimeDirectory one = RuntimeDirectory.create(config, 0)) {
            assertEquals(1, census.alive());
            FileTime stamp = FileTime.from(Instant.EPOCH);
            Files.setLastModifiedTime(base, stamp);
            pass(1);
            assertEquals(1, census.alive());
            Files.move(one.path(), base.resolve(dead()));
            Files.setLastModifiedTime(base, stamp);
            pass(5);
            assertEquals(1, census.alive(), "not counted yet");
            pass(6);
            assertEquals(0, census.alive());
        }
    }

    @Test
    void shouldBeOneForAllRuntimesOfAPlace() {
        assertSame(RuntimeCensus.of(config), RuntimeCensus.of(config));
        assertNotSame(RuntimeCensus.of(config),
                RuntimeCensus.of(config.with(CoreOptions.DIRECTORY, folder.resolve("elsewhere").toString())));
    }

    private int aliveLater() {
        pass(1);
        return census.alive();
    }

    private void pass(int seconds) {
        nowNs += TimeUnit.SECONDS.toNanos(seconds);
    }

    private static String dead() {
        ProcessIdentity self = ProcessIdentity.current();
        return "r0-p" + self.pid() + "-s1-n" + self.namespace() + "-0";
    }
}
