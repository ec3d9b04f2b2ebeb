/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.stat.RuntimeView.Health.State;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.op.OpsPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeViewTest {
    @TempDir
    private Path base;

    @Test
    void shouldShowARunningRuntime() {
        try (RuntimeDirectory directory = directory(2);
                Counters counters = Counters.create(directory.path().resolve("counters"), "a job", 2, 4)) {
            counters.add(Counter.OPS_FETCHED, 7);
            counters.heartbeat(System.currentTimeMillis());
            RuntimeView view = only();
            assertEquals("a job", view.job());
            assertEquals(2, view.rank());
            assertEquals(4, view.nRanks());
            assertEquals(ProcessHandle.current().pid(), view.pid());
            assertEquals(State.RUNNING, view.health().state());
            assertEquals(7, view.counters().get(Counter.OPS_FETCHED.label()).value());
            assertEquals(Set.of("process descriptors", "process cpu ms", "proxy cpu ms"), beyondItsOwn(view));
            assertTrue(view.counters().get("process descriptors").value() > 2, view::toString);
            assertTrue(view.counters().get("process cpu ms").value() > 0, view::toString);
            assertEquals("", view.problem());
        }
    }

    @Test
    void shouldShowHowFullTheOpsPoolIsAndWhatTheProcessUsesOnce() {
        try (RuntimeDirectory first = directory(0); RuntimeDirectory second = directory(1);
                Counters _ = Counters.create(first.path().resolve("counters"), "job", 0, 2);
                Counters _ = Counters.create(second.path().resolve("counters"), "job", 1, 2);
                OpsPool _ = OpsPool.create(second.ops(), 1, ProxyConfig.builder().environment(Map.of())
                        .set(CoreOptions.LANES, 2).set(CoreOptions.LANE_CAPACITY, 8).build())) {
            List<RuntimeView> views = RuntimeView.all(all(config(base)), System.currentTimeMillis());
            assertFalse(views.get(0).counters().containsKey("pool capacity"), views::toString);
            assertEquals(16, views.get(1).counters().get("pool capacity").value());
            assertEquals(0, views.get(1).counters().get("pool ops pending").value());
            assertEquals(Set.of("pool ops pending", "pool ops in flight", "pool capacity"),
                    beyondItsOwn(views.get(1)));
        }
    }

    private static Set<String> beyondItsOwn(RuntimeView view) {
        Set<String> labels = new HashSet<>(view.counters().keySet());
        Arrays.stream(Counter.values()).map(Counter::label).forEach(labels::remove);
        return labels;
    }

    @Test
    void shouldNoticeThatTheHeartbeatIsOld() {
        try (RuntimeDirectory directory = directory(0);
                Counters counters = Counters.create(directory.path().resolve("counters"), "", 0, 1)) {
            counters.heartbeat(System.currentTimeMillis() - 12_000);
            counters.failure(ProxyResult.TIMEOUT.code(), "nothing moved");
            RuntimeView view = only();
            assertEquals(State.STALE, view.health().state());
            assertTrue(view.health().ageMs() >= 12_000);
            assertEquals("nothing moved", view.problem());
        }
    }

    @Test
    void shouldShowWhatAKilledRuntimeLeft() throws Exception {
        try (RuntimeDirectory directory = directory(1);
                Counters counters = Counters.create(directory.path().resolve("counters"), "job", 1, 4)) {
            counters.add(Counter.OPS_COMPLETED, 5);
            Path dead = Files.createDirectory(base.resolve(directory.path().getFileName().toString()
                    .replaceFirst("-p\\d+-", "-p" + deadPid() + "-")));
            Files.copy(directory.path().resolve("counters"), dead.resolve("counters"));
        }
        RuntimeView view = only();
        assertEquals(State.DEAD, view.health().state());
        assertEquals(5, view.counters().get(Counter.OPS_COMPLETED.label()).value());
    }

    @Test
    void shouldSayWhyCountersCannotBeRead() throws IOException {
        try (RuntimeDirectory directory = directory(3)) {
            Files.write(directory.path().resolve("counters"), new byte[4096]);
            RuntimeView view = only();
            assertEquals(State.UNREADABLE, view.health().state());
            assertTrue(view.problem().contains("not ready"), view.problem());
        }
    }

    @Test
    void shouldPassOverWhatIsNoRuntime() throws IOException {
        Files.createFile(base.resolve("rendezvous-0123"));
        assertEquals(List.of(), RuntimeView.all(all(config(base)), 0));
        assertEquals(List.of(), RuntimeView.all(all(config(base.resolve("nowhere"))), 0));
    }

    private RuntimeView only() {
        List<RuntimeView> views = RuntimeView.all(all(config(base)), System.currentTimeMillis());
        assertEquals(1, views.size());
        return views.getFirst();
    }

    private RuntimeDirectory directory(int rank) {
        return RuntimeDirectory.create(config(base), rank);
    }

    private static ProxyConfig config(Path directory) {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, directory.toString()).build();
    }

    private static long deadPid() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        return process.pid();
    }

    private static RuntimeChoice all(ProxyConfig config) {
        return new RuntimeChoice(config, null);
    }
}
