/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Palette;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchTest {
    private final StringWriter text = new StringWriter();
    @TempDir
    private Path base;

    @Test
    void shouldPrintOnce() {
        try (RuntimeDirectory directory = directory();
                Counters counters = Counters.create(directory.path().resolve("counters"), "a job", 0, 1)) {
            counters.heartbeat(System.currentTimeMillis());
            watch(false).once();
        }
        assertTrue(text.toString().startsWith("job a job, 1 of 1 ranks here"), text::toString);
        assertFalse(text.toString().contains("per second"));
    }

    @Test
    void shouldPrintAgainWithRates() {
        try (RuntimeDirectory directory = directory();
                Counters counters = Counters.create(directory.path().resolve("counters"), "a job", 0, 1)) {
            counters.heartbeat(System.currentTimeMillis());
            watch(false).repeat(Duration.ofMillis(5), 3);
        }
        assertEquals(3, text.toString().lines().filter(line -> line.startsWith("job a job")).count());
        assertEquals(2, text.toString().lines().filter(line -> line.contains("per second")).count());
        assertFalse(text.toString().contains("\u001b"));
    }

    @Test
    void shouldClearATerminalBetweenTimes() {
        watch(true).repeat(Duration.ofMillis(1), 2);
        assertEquals("\u001b[H\u001b[2Jno running runtime found under " + base + "\n", text.toString()
                .substring(text.toString().length() / 2));
    }

    @Test
    void shouldWriteNothingButADocumentToTheStandardOutput() {
        try (RuntimeDirectory directory = directory();
                Counters counters = Counters.create(directory.path().resolve("counters"), "a job", 3, 4)) {
            counters.heartbeat(System.currentTimeMillis());
            watch(false, Optional.of(new Destination(Path.of("-"), new PrintWriter(text)))).once();
        }
        String json = text.toString().replaceAll("\\s+", "");
        assertTrue(json.startsWith("{\"time\":\"") && json.endsWith("\"memory\":[],\"traffic\":[]}]}"), json);
        assertTrue(json.contains("\"job\":\"ajob\",\"rank\":0,\"ranks\":4,\"pid\":" + ProcessHandle.current().pid()
                + ",\"state\":\"running\","), json);
        assertTrue(json.contains("\"counters\":{\"opsfetched\":0,"), json);
    }

    @Test
    void shouldWriteAFileBesideWhatItPrints() throws IOException {
        Path file = base.resolve("stat.json");
        watch(false, Optional.of(new Destination(file, null))).once();
        assertTrue(text.toString().startsWith("no running runtime"), text::toString);
        assertTrue(Files.readString(file).contains("\"runtimes\" : [ ]"), Files.readString(file));
    }

    @Test
    void shouldEndWhenInterrupted() {
        Thread.currentThread().interrupt();
        watch(false).repeat(Duration.ofHours(1), 0);
        assertTrue(Thread.interrupted());
    }

    @Test
    void shouldEndWhenItsOutputIsClosed() {
        PrintWriter closed = new PrintWriter(text);
        closed.close();
        Watch watch = new Watch(all(), closed, new StatStyle(true, false, false, false, new Palette(false)),
                Optional.empty());
        assertEquals(ProxyResult.SYSTEM_ERROR, assertThrows(ProxyException.class,
                () -> watch.repeat(Duration.ofMillis(1), 3)).result());
    }

    private Watch watch(boolean isTerminal) {
        return watch(isTerminal, Optional.empty());
    }

    private Watch watch(boolean isTerminal, Optional<Destination> json) {
        return new Watch(all(), new PrintWriter(text),
                new StatStyle(true, false, false, isTerminal, new Palette(false)),
                json);
    }

    private RuntimeDirectory directory() {
        return RuntimeDirectory.create(config(), 0);
    }

    private ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, base.toString()).build();
    }

    private RuntimeChoice all() {
        return new RuntimeChoice(config(), null);
    }
}
