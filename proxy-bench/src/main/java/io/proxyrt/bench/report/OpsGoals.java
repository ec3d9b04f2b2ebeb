/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.contender.Contenders;
import io.proxyrt.bench.contender.PoolContender;
import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.Results;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The goals of the ops pool and the progress engine, held against the medians of a run. */
final class OpsGoals {
    private static final int[] PRODUCERS = {1, 2, 4};
    private static final double[] SINGLE_BOUNDS = {2, 2.5, 3};
    private static final double BATCH_BOUND = 1.3;
    private static final int BATCH = 16;
    private static final double POST_P99_NS = 100;
    private static final double POST_P999_NS = 300;
    private static final double IDLE_NS = 400;
    private static final double PASS_NS = 15;
    private static final double RUNTIME_PERCENT = 1;
    private static final String OURS = PoolContender.kinds().getFirst();

    private final Results results;
    private final List<Goal> goals = new ArrayList<>();

    OpsGoals(Results results) {
        this.results = results;
    }

    List<Goal> judge() {
        for (int i = 0; i < PRODUCERS.length; i++) {
            throughput(PRODUCERS[i], 1, SINGLE_BOUNDS[i]);
        }
        for (int producers : PRODUCERS) {
            throughput(producers, BATCH, BATCH_BOUND);
        }
        nobodyAhead();
        postUnderLoad();
        post(100_000);
        post(1_000_000);
        idle();
        bursts();
        pass();
        for (String mode : results.contenders(OpsPlan.RUNTIME)) {
            double cpu = results.stat(OpsPlan.RUNTIME, "idle", mode, "cpu_pct").median();
            goals.add(Goal.atMost("an idle runtime takes less than 1 % of a core, " + mode, RUNTIME_PERCENT, cpu,
                    Figures.format(cpu) + " %"));
        }
        return goals;
    }

    private void throughput(int producers, int batch, double bound) {
        String cell = OpsPlan.cell(producers, batch);
        double ratio = mops(cell, OURS) / mops(cell, OpsPlan.C_POLLING);
        goals.add(Goal.atLeast(OURS + " over the C mutex pool polling, " + cell + ": at least "
                + Figures.format(bound) + " ×", bound, ratio, Figures.format(ratio) + " ×"));
    }

    private void nobodyAhead() {
        List<String> ahead = new ArrayList<>();
        int cells = 0;
        for (String cell : results.scenarios(OpsPlan.THROUGHPUT)) {
            double ours = mops(cell, OURS);
            if (!Double.isNaN(ours)) {
                cells++;
                addAhead(ahead, cell, ours);
            }
        }
        goals.add(Goal.atMost("no throughput cell in which another queue is ahead", 0,
                cells == 0 ? Double.NaN : ahead.size(),
                ahead.isEmpty() ? "none in " + cells + " cells" : "in " + ahead.size() + " of " + cells + " cells: "
                        + String.join("; ", ahead)));
    }

    private void addAhead(List<String> ahead, String cell, double ours) {
        List<String> faster = results.contenders(OpsPlan.THROUGHPUT).stream()
                .filter(other -> !PoolContender.kinds().contains(other) && mops(cell, other) > ours)
                .sorted(Comparator.comparingDouble((String other) -> mops(cell, other)).reversed())
                .map(other -> other + " " + Figures.format(mops(cell, other) / ours) + " ×").toList();
        if (!faster.isEmpty()) {
            ahead.add(cell + ": " + String.join(", ", faster));
        }
    }

    private void post(int rate) {
        String cell = OpsPlan.cell(rate);
        String goal = "post latency from the intended start, one producer, " + cell;
        for (String percentile : List.of("p99", "p99.9")) {
            double bound = percentile.equals("p99") ? POST_P99_NS : POST_P999_NS;
            double response = median(OpsPlan.RATE, cell, OURS, "response_" + percentile);
            double service = median(OpsPlan.RATE, cell, OURS, "service_" + percentile);
            goals.add(Goal.atMost(goal + ": " + percentile + " at most " + Figures.format(bound) + " ns", bound,
                    response, Figures.format(response) + " ns (the call alone: " + Figures.format(service)
                            + "; without any post: " + response(cell, Contenders.NO_POST, percentile) + ", C: "
                            + response(cell, OpsPlan.C_POLLING, percentile) + ")"));
        }
    }

    private String response(String cell, String contender, String percentile) {
        return Figures.format(median(OpsPlan.RATE, cell, contender, "response_" + percentile));
    }

    /** The cost of one post while producer and consumer run flat out. */
    private void postUnderLoad() {
        String cell = "1 producer, batch 1";
        for (String percentile : List.of("p99", "p99.9")) {
            double bound = percentile.equals("p99") ? POST_P99_NS : POST_P999_NS;
            double ours = median(OpsPlan.THROUGHPUT, cell, OURS, "post_" + percentile);
            double c = median(OpsPlan.THROUGHPUT, cell, OpsPlan.C_POLLING, "post_" + percentile);
            goals.add(Goal.atMost("one post under load, " + cell + ": " + percentile + " at most "
                    + Figures.format(bound) + " ns", bound, ours,
                    Figures.format(ours) + " ns, C " + Figures.format(c) + " ns"));
        }
    }

    private void idle() {
        double spinning = median(OpsPlan.IDLE, "spinning", OURS, "consumed_p50");
        goals.add(Goal.atMost("idle to consumed while spinning: p50 at most 400 ns", IDLE_NS, spinning,
                Figures.format(spinning) + " ns, C "
                        + Figures.format(median(OpsPlan.IDLE, "spinning", OpsPlan.C_POLLING, "consumed_p50")) + " ns"));
        double ours = median(OpsPlan.IDLE, "parked", OURS, "consumed_p50");
        double c = median(OpsPlan.IDLE, "parked", OpsPlan.C_POLLING, "consumed_p50");
        goals.add(Goal.atMost("idle to consumed when parked: p50 not above that of the C pool", 1, ours / c,
                Figures.format(ours) + " ns, C " + Figures.format(c) + " ns"));
    }

    private void bursts() {
        String inC = "; in C, knowing when: " + Figures.format(burst(OpsPlan.C_KNOWS, "consumed_p99")) + ", spinning "
                + Figures.format(burst(OpsPlan.C_SPINS, "consumed_p99"));
        bursts("bursts 200 µs apart, learned idling", OpsPlan.LEARNED, OpsPlan.SPINNING, inC);
        bursts("the same with cpu.latency=0 for both", OpsPlan.LEARNED + OpsPlan.AWAKE,
                OpsPlan.SPINNING + OpsPlan.AWAKE, "");
        bursts("the same with cpu.latency=0 and realtime.priority=1 for who sleeps",
                OpsPlan.LEARNED + OpsPlan.REALTIME, OpsPlan.SPINNING, "");
    }

    private void bursts(String what, String learned, String spinning, String beside) {
        double spinP99 = burst(spinning, "consumed_p99");
        double p99 = burst(learned, "consumed_p99");
        goals.add(Goal.atMost(what + ": p99 at most 2 × that of pure spinning", 2, p99 / spinP99,
                Figures.format(p99 / spinP99) + " × (" + Figures.format(p99) + " ns, spinning "
                        + Figures.format(spinP99) + beside + ")"));
        double cpu = burst(learned, "cpu_pct") / burst(spinning, "cpu_pct");
        goals.add(Goal.atMost(what + ": less than half the CPU time of pure spinning", 0.5, cpu,
                Figures.format(100 * cpu) + " % of it"));
    }

    private void pass() {
        String worst = "";
        double most = Double.NaN;
        for (String ops : results.scenarios(OpsPlan.PASS)) {
            double perOp = median(OpsPlan.PASS, ops, "ours", "ns_per_op");
            if (Double.isNaN(most) || perOp > most) {
                most = perOp;
                worst = ops;
            }
        }
        goals.add(Goal.atMost("a pass over 1 to 4096 active, idle ops: at most 15 ns per op, fixed cost included",
                PASS_NS, most, "at most " + Figures.format(most) + " ns, at " + worst + " active"));
        double slope = slope("1", "4096");
        goals.add(Goal.atMost("each further active, idle op, 1 to 4096: at most 15 ns", PASS_NS, slope,
                Figures.format(slope) + " ns"));
    }

    private double slope(String few, String many) {
        double more = median(OpsPlan.PASS, many, "ours", "ns_per_pass");
        double less = median(OpsPlan.PASS, few, "ours", "ns_per_pass");
        return (more - less) / (Integer.parseInt(many) - Integer.parseInt(few));
    }

    private double burst(String idle, String metric) {
        return median(OpsPlan.BURSTS, OpsPlan.BURST_CELL, idle, metric);
    }

    private double mops(String cell, String contender) {
        return median(OpsPlan.THROUGHPUT, cell, contender, "mops");
    }

    private double median(String experiment, String scenario, String contender, String metric) {
        return results.stat(experiment, scenario, contender, metric).median();
    }
}
