/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.stat.RuntimeView.Health;
import io.proxyrt.cli.stat.RuntimeView.Health.State;
import io.proxyrt.cli.stat.RuntimeView.Value;
import io.proxyrt.cli.view.Palette;
import io.proxyrt.core.counters.Counter.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatTableTest {
    private static final long NOW = 100_000;

    @Test
    void shouldShowRanksSideBySideWithTheirSum() {
        List<String> lines = table(false).lines(
                List.of(view(0, State.RUNNING, 100, 10, ""), view(1, State.RUNNING, 100, 32, "")), NOW);
        assertEquals(List.of(
                "job 127.0.0.1:5 #01234567, 2 of 4 ranks here, for 40 s",
                "                         rank 0     rank 1      total",
                "pid                        1000       1001",
                "state                   running    running",
                "ops                          10         32         42",
                "active                        3          3          6",
                ""), lines);
    }

    @Test
    void shouldTurnTotalsIntoRatesFromTheSecondTimeOn() {
        StatTable table = table(true);
        table.lines(List.of(view(0, State.RUNNING, 0, 10, "")), NOW);
        List<String> lines = table.lines(List.of(view(0, State.RUNNING, 0, 510, "")), NOW + 500);
        assertTrue(lines.getFirst().endsWith("totals are per second"), lines.getFirst());
        assertTrue(lines.contains("ops                        1000"), lines.toString());
        assertTrue(lines.contains("active                        3"), lines.toString());
    }

    @Test
    void shouldShowTheTotalsOfARuntimeThatIsNew() {
        StatTable table = table(true);
        table.lines(List.of(), NOW);
        List<String> lines = table.lines(List.of(view(0, State.RUNNING, 0, 10, "")), NOW + 500);
        assertFalse(lines.getFirst().contains("per second"));
        assertTrue(lines.contains("ops                          10"), lines.toString());
    }

    @Test
    void shouldMarkTheDeadAndTheSilentAndSayWhatFailed() {
        List<String> lines = table(false).lines(List.of(view(0, State.DEAD, 500, 1, "rank 1 is gone"),
                view(1, State.STALE, 12_400, 1, ""), view(2, State.STALE, -1, 1, "")), NOW);
        assertTrue(lines.contains("state                      dead     silent     silent"), lines.toString());
        assertTrue(lines.contains("rank 0: dead: its process 1000 is gone, /r/0 is left"), lines.toString());
        assertTrue(lines.contains("rank 0: first failure: rank 1 is gone"), lines.toString());
        assertTrue(lines.contains("rank 1: no heartbeat for 12 s"), lines.toString());
        assertTrue(lines.contains("rank 2: no heartbeat"), lines.toString());
    }

    @Test
    void shouldFitAHundredColumnsWithManyRanks() {
        List<RuntimeView> views = new ArrayList<>();
        for (int rank = 0; rank < 64; rank++) {
            views.add(view(rank, State.RUNNING, 0, Long.MAX_VALUE, ""));
        }
        List<String> lines = table(false).lines(views, NOW);
        assertTrue(lines.stream().allMatch(line -> line.length() <= 100), lines.toString());
        assertEquals(1, lines.stream().filter(line -> line.contains("total")).count());
        assertTrue(lines.stream().anyMatch(line -> line.contains("rank 63")));
    }

    @Test
    void shouldKeepJobsApart() {
        RuntimeView other = new RuntimeView(Path.of("/r/9"), "other:5 #000000ff", 0, 1, 9,
                new Health(State.RUNNING, 0), NOW, "", Map.of(), List.of(), List.of());
        List<String> lines = table(false).lines(List.of(view(0, State.RUNNING, 0, 1, ""), other), NOW);
        assertEquals(2, lines.stream().filter(line -> line.startsWith("job ")).count());
        assertTrue(lines.stream().anyMatch(line -> line.startsWith("job other:5 #000000ff,")), lines.toString());
    }

    @Test
    void shouldHideWhatHasBeenZeroAtAllRanks() {
        StatTable table = new StatTable(true, new StatStyle(false, false, false, false, new Palette(false)));
        List<String> lines = table.lines(List.of(view(0, State.RUNNING, 0, 0, ""), view(1, State.RUNNING, 0, 0, "")),
                NOW);
        assertFalse(lines.stream().anyMatch(line -> line.startsWith("ops ")), lines.toString());
        assertTrue(lines.contains("and 1 more that are 0 at all ranks so far, with --all"), lines.toString());
        lines = table.lines(List.of(view(0, State.RUNNING, 0, 0, ""), view(1, State.RUNNING, 0, 5, "")), NOW + 1000);
        assertTrue(lines.contains("ops                           0          5          5"), lines.toString());
        lines = table.lines(List.of(view(0, State.RUNNING, 0, 0, ""), view(1, State.RUNNING, 0, 5, "")), NOW + 2000);
        assertTrue(lines.contains("ops                           0          0          0"), lines.toString());
        assertFalse(lines.stream().anyMatch(line -> line.contains("--all")), lines.toString());
    }

    @Test
    void shouldColourWhatIsWrongAndKeepColumnsInPlace() {
        StatTable table = new StatTable(false, new StatStyle(true, false, false, true, new Palette(true)));
        List<String> lines = table.lines(List.of(view(0, State.DEAD, 500, 1, "rank 1 is gone"),
                failed(1, State.RUNNING, 2), failed(2, State.STALE, 0)), NOW);
        assertTrue(lines.contains("state                      \u001b[31mdead\u001b[0m    running     "
                + "\u001b[33msilent\u001b[0m"), lines.toString());
        assertTrue(lines.contains("ops failed                               \u001b[31m2\u001b[0m          0          "
                + "\u001b[31m2\u001b[0m"), lines.toString());
        assertTrue(lines.contains("\u001b[31mrank 0: first failure: rank 1 is gone\u001b[0m"), lines.toString());
        assertTrue(lines.contains("ops                           1          9          9         19"),
                lines.toString());
    }

    @ParameterizedTest
    @CsvSource({"0,0", "999999999,999999999", "12.34,12.3", "123.4,123", "1e9,1.00G", "1.5e10,15.00G",
        "1.5e13,15.00T", "9.3e18,9300.00P", "1e23,100000.00E", "-5,-5"})
    void shouldShortenLargeNumbers(double value, String text) {
        assertEquals(text, StatTable.amount(value));
    }

    private static StatTable table(boolean withRates) {
        return new StatTable(withRates, new StatStyle(true, false, false, false, new Palette(false)));
    }

    private static RuntimeView failed(int rank, State state, long failures) {
        RuntimeView view = view(rank, state, 0, 9, "");
        view.counters().put("ops failed", new Value(Kind.TOTAL, failures));
        return view;
    }

    private static RuntimeView view(int rank, State state, long ageMs, long ops, String failure) {
        Map<String, Value> counters = new LinkedHashMap<>();
        counters.put("ops", new Value(Kind.TOTAL, ops));
        counters.put("active", new Value(Kind.GAUGE, 3));
        return new RuntimeView(Path.of("/r/" + rank), "127.0.0.1:5 #01234567", rank, 4, 1000 + rank,
                new Health(state, ageMs), NOW - 40_000, failure, counters, List.of(), List.of());
    }
}
