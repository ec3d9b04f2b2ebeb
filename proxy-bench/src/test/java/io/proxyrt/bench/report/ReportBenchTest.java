/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Sample;
import io.proxyrt.bench.run.Stat;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class ReportBenchTest {
    private static final String CELL = OpsPlan.cell(1, 1);

    private final Results results = new Results();

    @Test
    void shouldKeepThreeDigits() {
        assertEquals("1,235", Figures.format(1234.5));
        assertEquals("12.3", Figures.format(12.345));
        assertEquals("0.00123", Figures.format(0.001234));
        assertEquals("0", Figures.format(0.0001));
        assertEquals("–", Figures.format(Double.NaN));
        assertEquals("2 [1..3]", Figures.format(Stat.of(List.of(1.0, 2.0, 3.0))));
    }

    @Test
    void shouldPutContendersInRowsAndCellsInColumns() {
        throughput("lanes", 30);
        throughput("c-mutex", 20);
        assertEquals(List.of("| million ops/s | " + CELL + " |", "|---|---|", "| **lanes** | 30 |", "| c-mutex | 20 |"),
                new OpsTables(results).throughput().lines());
    }

    @Test
    void shouldSayThatAGoalHolds() {
        throughput("lanes", 41);
        throughput("c-mutex", 20);
        Goal goal = new OpsGoals(results).judge().getFirst();
        assertEquals(Goal.Verdict.HOLDS, goal.verdict());
        assertEquals("2.05 ×", goal.measured());
    }

    @Test
    void shouldNotHideAMiss() {
        throughput("lanes", 30);
        throughput("c-mutex", 20);
        throughput("jctools-mpsc", 33);
        List<Goal> goals = new OpsGoals(results).judge();
        assertEquals(Goal.Verdict.MISSED, goals.getFirst().verdict());
        Goal ahead = goals.stream().filter(goal -> goal.goal().contains("ahead")).findFirst().orElseThrow();
        assertEquals(Goal.Verdict.MISSED, ahead.verdict());
        assertTrue(ahead.measured().contains("jctools-mpsc 1.1 ×"), ahead.measured());
    }

    @Test
    void shouldNotJudgeWhatWasNotMeasured() {
        new OpsGoals(results).judge().forEach(goal -> assertEquals(Goal.Verdict.NOT_MEASURED, goal.verdict()));
    }

    @Test
    void shouldCorrectTheSeedsWhereFiguresDiffer() {
        throughput("lanes", 40);
        throughput("c-mutex", 20);
        for (String contender : List.of("lanes", "c-mutex")) {
            add(OpsPlan.THROUGHPUT, OpsPlan.cell(4, 1), contender, "mops", contender.equals("lanes") ? 40 : 10);
        }
        String last = new OpsScenarios(results).table().lines().getLast();
        assertEquals("|  | lock-free: 30 to 50 % better | 75 % less time per op, from post to fetch | too low |", last);
    }

    @Test
    void shouldDrawWellFormedPlotsOfWhatWasMeasured() throws Exception {
        throughput("lanes", 30);
        throughput("a <b> & \"c\"", 20);
        for (int ops = 1; ops <= 4096; ops *= 4) {
            add(OpsPlan.PASS, Integer.toString(ops), "ours", "ns_per_pass", 10.0 * ops);
        }
        Map<String, String> plots = new OpsPlots(results).draw();
        assertEquals(List.of("ops-throughput.svg", "ops-pass.svg"), List.copyOf(plots.keySet()));
        assertTrue(text(plots.get("ops-throughput.svg")).contains("a <b> & \"c\""));
        assertTrue(text(plots.get("ops-pass.svg")).contains("10 ns × active ops"));
    }

    private void throughput(String contender, double mops) {
        add(OpsPlan.THROUGHPUT, CELL, contender, "mops", mops);
    }

    private void add(String experiment, String scenario, String contender, String metric, double value) {
        results.add(new Sample(1, experiment, scenario, contender, metric, value));
    }

    private static String text(String xml) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)))
                .getDocumentElement().getTextContent();
    }
}
