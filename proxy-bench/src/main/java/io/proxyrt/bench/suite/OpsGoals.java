/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.contender.Contenders;
import io.proxyrt.bench.contender.PoolContender;
import io.proxyrt.bench.report.Figures;
import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.Experiment;
import java.util.Comparator;
import java.util.List;

/** The goals of the ops pool and the progress engine, held against the medians of a run. */
final class OpsGoals {
    private static final double[] SINGLE_BOUNDS = {2, 2.5, 3};
    private static final double BATCH_BOUND = 1.3;
    private static final int BATCH = 16;
    private static final double PASS_NS = 15;
    private static final String OURS = OpsBench.LANES;
    private static final String C = OpsBench.C_POLLING;

    private final Report report;
    private final Experiment throughput;
    private final Experiment rate;
    private final Experiment idle;
    private final Experiment bursts;
    private final Experiment pass;

    OpsGoals(Report report) {
        this.report = report;
        this.throughput = report.experiment(OpsBench.THROUGHPUT);
        this.rate = report.experiment(OpsBench.RATE);
        this.idle = report.experiment(OpsBench.IDLE);
        this.bursts = report.experiment(OpsBench.BURSTS);
        this.pass = report.experiment(OpsBench.PASS);
    }

    void add() {
        for (int i = 0; i < SINGLE_BOUNDS.length; i++) {
            throughput(OpsBench.PRODUCERS.get(i), 1, SINGLE_BOUNDS[i]);
        }
        OpsBench.PRODUCERS.forEach(producers -> throughput(producers, BATCH, BATCH_BOUND));
        nobodyAhead();
        postUnderLoad("p99", 100);
        postUnderLoad("p99.9", 300);
        for (int each : OpsBench.RATES.subList(1, OpsBench.RATES.size())) {
            post(OpsBench.cell(each), "p99", 100);
            post(OpsBench.cell(each), "p99.9", 300);
        }
        idle();
        bursts();
        pass();
        Experiment runtime = report.experiment(OpsBench.RUNTIME);
        runtime.contenders().forEach(mode -> report.atMost("an idle runtime takes less than 1 % of a core, " + mode, 1,
                runtime.median("idle", mode, "cpu_pct"), " %"));
    }

    private void throughput(int producers, int batch, double bound) {
        String cell = OpsBench.cell(producers, batch);
        report.atLeast(OURS + " over the C mutex pool polling, " + cell + ": at least " + Figures.format(bound, "×"),
                bound, mops(cell, OURS) / mops(cell, C), " ×");
    }

    private void nobodyAhead() {
        List<String> cells = throughput.scenarios().stream().filter(cell -> throughput.isMeasured(cell, OURS))
                .toList();
        List<String> ahead = cells.stream().map(this::ahead).filter(cell -> !cell.isEmpty()).toList();
        report.goal(Goal.atMost("no throughput cell in which another queue is ahead", 0,
                cells.isEmpty() ? Double.NaN : ahead.size(),
                ahead.isEmpty() ? "none in " + cells.size() + " cells" : "in " + ahead.size() + " of " + cells.size()
                        + " cells: " + String.join("; ", ahead)));
    }

    /** The cell, and who is ahead in it; empty if nobody is. */
    private String ahead(String cell) {
        double ours = mops(cell, OURS);
        List<String> faster = throughput.contenders().stream()
                .filter(other -> !PoolContender.kinds().contains(other) && mops(cell, other) > ours)
                .sorted(Comparator.comparingDouble((String other) -> mops(cell, other)).reversed())
                .map(other -> other + " " + Figures.format(mops(cell, other) / ours, "×")).toList();
        return faster.isEmpty() ? "" : cell + ": " + String.join(", ", faster);
    }

    /** The cost of one post while producer and consumer run flat out. */
    private void postUnderLoad(String percentile, double bound) {
        String cell = OpsBench.cell(1, 1);
        double ours = throughput.median(cell, OURS, "post_" + percentile);
        report.goal(Goal.atMost("one post under load, " + cell + ": " + percentile + " at most " + ns(bound), bound,
                ours, ns(ours) + ", C " + ns(throughput.median(cell, C, "post_" + percentile))));
    }

    private void post(String cell, String percentile, double bound) {
        double ours = rate.median(cell, OURS, "response_" + percentile);
        report.goal(Goal.atMost("post latency from the intended start, one producer, " + cell + ": " + percentile
                + " at most " + ns(bound), bound, ours, ns(ours) + " (the call alone: "
                + Figures.format(rate.median(cell, OURS, "service_" + percentile)) + "; without any post: "
                + Figures.format(rate.median(cell, Contenders.NO_POST, "response_" + percentile)) + ", C: "
                + Figures.format(rate.median(cell, C, "response_" + percentile)) + ")"));
    }

    private void idle() {
        double spinning = idle.median("spinning", OURS, "consumed_p50");
        report.goal(Goal.atMost("idle to consumed while spinning: p50 at most 400 ns", 400, spinning,
                ns(spinning) + ", C " + ns(idle.median("spinning", C, "consumed_p50"))));
        double ours = idle.median("parked", OURS, "consumed_p50");
        double c = idle.median("parked", C, "consumed_p50");
        report.goal(Goal.atMost("idle to consumed when parked: p50 not above that of the C pool", 1, ours / c,
                ns(ours) + ", C " + ns(c)));
    }

    private void bursts() {
        String inC = "; in C, knowing when: " + Figures.format(burst(OpsBench.C_KNOWS, "consumed_p99")) + ", spinning "
                + Figures.format(burst(OpsBench.C_SPINS, "consumed_p99"));
        bursts("bursts 200 µs apart, learned idling", OpsBench.LEARNED, OpsBench.SPINNING, inC);
        bursts("the same with cpu.latency=0 for both", OpsBench.LEARNED + OpsBench.AWAKE,
                OpsBench.SPINNING + OpsBench.AWAKE, "");
        bursts("the same with cpu.latency=0 and realtime.priority=1 for who sleeps",
                OpsBench.LEARNED + OpsBench.REALTIME, OpsBench.SPINNING, "");
    }

    private void bursts(String what, String learned, String spinning, String beside) {
        double spinP99 = burst(spinning, "consumed_p99");
        double p99 = burst(learned, "consumed_p99");
        report.goal(Goal.atMost(what + ": p99 at most 2 × that of pure spinning", 2, p99 / spinP99,
                Figures.format(p99 / spinP99, "×") + " (" + ns(p99) + ", spinning " + Figures.format(spinP99)
                        + beside + ")"));
        double cpu = burst(learned, "cpu_pct") / burst(spinning, "cpu_pct");
        report.goal(Goal.atMost(what + ": less than half the CPU time of pure spinning", 0.5, cpu,
                Figures.format(100 * cpu, "% of it")));
    }

    private void pass() {
        String worst = "";
        double most = Double.NaN;
        for (String ops : pass.scenarios()) {
            double perOp = pass.median(ops, "ours", "ns_per_op");
            if (Double.isNaN(most) || perOp > most) {
                most = perOp;
                worst = ops;
            }
        }
        report.goal(Goal.atMost("a pass over 1 to 4096 active, idle ops: at most 15 ns per op, fixed cost included",
                PASS_NS, most, "at most " + ns(most) + ", at " + worst + " active"));
        double slope = (pass.median("4096", "ours", "ns_per_pass") - pass.median("1", "ours", "ns_per_pass")) / 4095;
        report.atMost("each further active, idle op, 1 to 4096: at most 15 ns", PASS_NS, slope, " ns");
    }

    private double burst(String idleKind, String metric) {
        return bursts.median(OpsBench.BURST_CELL, idleKind, metric);
    }

    private double mops(String cell, String contender) {
        return throughput.median(cell, contender, "mops");
    }

    private static String ns(double value) {
        return Figures.format(value, "ns");
    }
}
