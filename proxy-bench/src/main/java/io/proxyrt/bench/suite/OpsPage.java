/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.contender.Contenders;
import io.proxyrt.bench.contender.PoolContender;
import io.proxyrt.bench.report.BarPlot;
import io.proxyrt.bench.report.Figures;
import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.report.LinePlot;
import io.proxyrt.bench.report.Names;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Table;
import io.proxyrt.bench.run.Experiment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;

/** The goals, tables and plots of the ops pool and the progress engine. */
final class OpsPage {
    private static final List<String> TAIL = List.of("p50", "p99", "p99.9", "max");
    private static final List<String> POINTS = List.of("0", "25", "50", "75", "90", "95", "99", "99.5", "99.9", "99.95",
            "99.99");
    private static final double[] SINGLE_BOUNDS = {2, 2.5, 3};
    private static final double BATCH_BOUND = 1.3;
    private static final int BATCH = 16;
    /** What a post may take at its 99th percentile, in exchanges of a cache line. */
    private static final double POST_EXCHANGES = 1.5;
    private static final double RARE_POST_EXCHANGES = 3;
    private static final double IDLE_EXCHANGES = 1.5;
    private static final int MANY = 4;
    private static final String OURS = OpsBench.LANES;
    private static final String C = OpsBench.C_POLLING;

    private final Report report;
    private final Experiment throughput;
    private final Experiment rate;
    private final Experiment idle;
    private final Experiment bursts;
    private final Experiment pass;
    private final Experiment runtime;
    private final Experiment timer;

    OpsPage(Report report) {
        this.report = report;
        this.throughput = report.experiment(OpsBench.THROUGHPUT);
        this.rate = report.experiment(OpsBench.RATE);
        this.idle = report.experiment(OpsBench.IDLE);
        this.bursts = report.experiment(OpsBench.BURSTS);
        this.pass = report.experiment(OpsBench.PASS);
        this.runtime = report.experiment(OpsBench.RUNTIME);
        this.timer = report.experiment(OpsBench.TIMER);
    }

    void add() {
        goals();
        report.text("nanotime", Figures.format(timer.median("clock", "java", "nanotime_ns")));
        report.text("step", Figures.format(timer.median("clock", "java", "step_ns")));
        throughput();
        OpsBench.RATES.forEach(each -> rate(OpsBench.cell(each)));
        postLatency(OpsBench.cell(100_000));
        report.table("scenarios", Table.ofRows(List.of("scenario", "estimate", "measured", "so the estimate is"),
                rate.scenarios().isEmpty() ? List.of() : scenarios()));
        idle();
        bursts();
        jmh();
    }

    private void throughput() {
        List<String> cells = throughput.scenarios();
        List<String> contenders = throughput.contenders();
        List<String> others = contenders.stream().filter(contender -> !contender.equals(OURS)).toList();
        report.table("throughput", OpsBench.THROUGHPUT, Table.of("million ops/s", contenders, Names::bold)
                .columns(cells, (contender, cell) -> throughput.stat(cell, contender, "mops")));
        report.table("ratios", Table.of(OURS + " is so many times as fast as", others, Names::bold)
                .columns(cells, (contender, cell) -> throughput.median(cell, OURS, "mops")
                        / throughput.median(cell, contender, "mops")));
        report.table("post under load", Table.of("ns: p50 / p99 / p99.9", contenders, Names::bold)
                .columns(cells, (contender, cell) -> String.join(" / ", TAIL.subList(0, 3).stream()
                        .map(p -> Figures.format(throughput.median(cell, contender, "post_" + p))).toList())));
        BarPlot plot = new BarPlot("Ops from post to fetch", "million a second, more is better", false);
        cells.forEach(cell -> plot.panel(cell, contenders, contender -> throughput.stat(cell, contender, "mops")));
        report.plot("ops-throughput.svg", plot);
    }

    /** Response and service times at one rate. */
    private void rate(String cell) {
        report.table("rate " + cell, OpsBench.RATE + ", " + cell, Table.of("ns", rate.contenders(cell), Names::bold)
                .figures("from the intended start", TAIL, stats(rate, cell, "response_"))
                .figures("the call alone", TAIL, stats(rate, cell, "service_")));
    }

    private void postLatency(String cell) {
        LinePlot plot = new LinePlot("Post latency from its intended start, one producer, " + cell,
                "ns, less is better", LinePlot.Axis.PERCENTILES, POINTS);
        rate.contenders().forEach(contender ->
                plot.line(contender, p -> rate.median(cell, contender, "response_p" + p)));
        report.plot("ops-post-latency.svg", plot);
    }

    private void idle() {
        BarPlot plot = new BarPlot("From post until an idle consumer has the op", "ns, median, less is better",
                true);
        for (String cell : List.of("spinning", "parked")) {
            report.table("idle " + cell, OpsBench.IDLE + ", " + cell, Table.of("ns", idle.contenders(cell), Names::bold)
                    .figures("consumed after", TAIL, stats(idle, cell, "consumed_"))
                    .figures("the post", TAIL.subList(0, 2), stats(idle, cell, "service_")));
            plot.panel(cell, idle.contenders(cell), contender -> idle.stat(cell, contender, "consumed_p50"));
        }
        report.plot("ops-idle.svg", plot);
    }

    private void bursts() {
        String cell = OpsBench.BURST_CELL;
        report.table("bursts", OpsBench.BURSTS, Table.of("consumer", bursts.contenders(), kind -> kind)
                .figures("consumed after, ns", TAIL.subList(0, 3), stats(bursts, cell, "consumed_"))
                .column("CPU of the consumer, %", kind -> bursts.stat(cell, kind, "cpu_pct"))
                .column("the post, ns: p50", kind -> bursts.stat(cell, kind, "service_p50")));
        report.table("runtime", Table.of("threading", runtime.contenders(), mode -> mode)
                .column("CPU of the runtime's threads, % of a core", mode -> runtime.stat("idle", mode, "cpu_pct"))
                .column("threads", mode -> runtime.stat("idle", mode, "threads")));
    }

    private void jmh() {
        Experiment pool = report.experiment(OpsBench.POOL);
        report.table("pool", Table.of("pool", pool.scenarios(), cell -> cell)
                .column("ns per op", cell -> pool.stat(cell, "ours", "ns_per_op"))
                .column("bytes allocated per op", cell -> pool.stat(cell, "ours", "bytes_per_op")));
        List<String> cells = pass.scenarios();
        report.table("pass", Table.of("active ops", cells, ops -> ops)
                .column("ns per pass", ops -> pass.stat(ops, "ours", "ns_per_pass"))
                .column("ns per op", ops -> pass.stat(ops, "ours", "ns_per_op"))
                .column("bytes allocated per pass", ops -> pass.stat(ops, "ours", "bytes_per_pass")));
        double perOp = cells.isEmpty() ? Double.NaN
                : pass.median(cells.getLast(), "ours", "ns_per_pass") / Integer.parseInt(cells.getLast());
        report.plot("ops-pass.svg", new LinePlot("A progress pass over ops that can't move", "ns per pass",
                LinePlot.Axis.OPS, cells)
                .reference(Figures.format(perOp) + " ns × active ops", ops -> perOp * Integer.parseInt(ops))
                .line(Bench.OURS, ops -> pass.median(ops, "ours", "ns_per_pass")));
    }

    private static BiFunction<String, String, Object> stats(Experiment experiment, String cell, String prefix) {
        return (contender, percentile) -> experiment.stat(cell, contender, prefix + percentile);
    }

    /** The first estimates for a mutex and for doing without, and what was measured. */
    private List<List<?>> scenarios() {
        List<List<?>> rows = new ArrayList<>();
        low(rows, 1_000, C, "consumer polling", OURS);
        low(rows, 1_000, OpsBench.C_SLEEPING, "consumer asleep", OURS + OpsBench.PARKED);
        high(rows, 100_000);
        high(rows, 1_000_000);
        streams(rows);
        return rows;
    }

    /** Shares of all time, as at such rates most of it is spent elsewhere. */
    private void low(List<List<?>> rows, int opsPerS, String c, String consumer, String ours) {
        String cell = OpsBench.cell(opsPerS);
        double clock = rate.median(cell, c, "timer_ns");
        double locked = rate.median(cell, c, "locked_p50") - clock;
        double saved = rate.median(cell, c, "service_p50") - clock - ourPost(cell, ours);
        row(rows, "less than 1K ops/s (" + cell + "), " + consumer, "mutex < 1 % of all time",
                100 * locked * opsPerS / 1e9, "% of all time is the mutex", 0, 1);
        row(rows, "", "lock-free: 2 to 5 % better", 100 * saved * opsPerS / 1e9, "% of all time saved", 2, 5);
    }

    private void high(List<List<?>> rows, int opsPerS) {
        String cell = OpsBench.cell(opsPerS);
        double clock = rate.median(cell, C, "timer_ns");
        double locked = rate.median(cell, C, "locked_p50") - clock;
        double post = rate.median(cell, C, "service_p50") - clock;
        row(rows, "more than 100K ops/s (" + cell + ")", "mutex 10 to 30 % of posting time", 100 * locked / post,
                "% of posting time is the mutex", 10, 30);
        row(rows, "", "lock-free: 15 to 30 % better", 100 * (1 - ourPost(cell, OURS) / post), "% of posting time saved",
                15, 30);
    }

    private void streams(List<List<?>> rows) {
        String cell = OpsBench.cell(MANY, 1);
        double clock = throughput.median(cell, C, "timer_ns");
        rows.add(List.of("many streams (" + cell + ", at full load)", "contention high",
                Figures.format(throughput.median(cell, C, "locked_p99") - clock) + " of the "
                        + Figures.format(throughput.median(cell, C, "post_p99") - clock)
                        + " ns of a post at p99 are the mutex", "–"));
        row(rows, "", "lock-free: 30 to 50 % better",
                100 * (1 - throughput.median(cell, C, "mops") / throughput.median(cell, OURS, "mops")),
                "% less time per op, from post to fetch", 30, 50);
    }

    private double ourPost(String cell, String contender) {
        return rate.median(cell, contender, "service_p50") - timer.median("clock", "java", "nanotime_ns");
    }

    private static void row(List<List<?>> rows, String scenario, String claim, double percent, String what,
            double least, double most) {
        String verdict = "–";
        if (!Double.isNaN(percent)) {
            verdict = percent < least ? "too high" : percent > most ? "too low" : "confirmed";
        }
        rows.add(List.of(scenario, claim, Figures.format(percent) + " " + what, verdict));
    }

    private void goals() {
        for (int i = 0; i < SINGLE_BOUNDS.length; i++) {
            throughputGoal(OpsBench.PRODUCERS.get(i), 1, SINGLE_BOUNDS[i]);
        }
        OpsBench.PRODUCERS.forEach(producers -> throughputGoal(producers, BATCH, BATCH_BOUND));
        noneAhead();
        postUnderLoad("p99", POST_EXCHANGES);
        postUnderLoad("p99.9", RARE_POST_EXCHANGES);
        OpsBench.RATES.subList(1, OpsBench.RATES.size()).forEach(each -> post(OpsBench.cell(each)));
        idleGoals();
        burstGoals();
        passGoals();
        runtime.contenders().forEach(mode -> report.atMost("an idle runtime takes less than 1 % of a core, " + mode, 1,
                runtime.median("idle", mode, "cpu_pct"), " %"));
    }

    private void throughputGoal(int producers, int batch, double bound) {
        String cell = OpsBench.cell(producers, batch);
        report.atLeast(OURS + " over the C mutex pool polling, " + cell + ": at least " + Figures.format(bound, "×"),
                bound, mops(cell, OURS) / mops(cell, C), " ×");
    }

    private void noneAhead() {
        List<String> cells = throughput.scenarios().stream().filter(cell -> throughput.isMeasured(cell, OURS))
                .toList();
        List<String> ahead = cells.stream().map(this::ahead).filter(cell -> !cell.isEmpty()).toList();
        report.goal(Goal.atMost("no throughput cell in which another queue is ahead", 0,
                cells.isEmpty() ? Double.NaN : ahead.size(),
                ahead.isEmpty() ? "none in " + cells.size() + " cells" : "in " + ahead.size() + " of " + cells.size()
                        + " cells: " + String.join("; ", ahead)));
    }

    /** The cell, and who is ahead in it; empty if none is. */
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
        report.exchanges("one post under load, " + cell + ", " + percentile, bound, OpsBench.THROUGHPUT + ", " + cell,
                throughput.median(cell, OURS, "post_" + percentile),
                ", C " + ns(throughput.median(cell, C, "post_" + percentile)));
    }

    /** The call by itself; and from its intended start, which is the machine's doing and so beside no post at all. */
    private void post(String cell) {
        String post = "a post at " + cell;
        report.exchanges(post + ", p99", POST_EXCHANGES, OpsBench.RATE + ", " + cell,
                rate.median(cell, OURS, "service_p99"), ", C " + ns(rate.median(cell, C, "service_p99")));
        besides(post + ", p99.9: not above that of the C pool", 1, cell, "service_p99.9", C);
        besides(post + " from its intended start, p99: at most 2 × that of no post at all", 2, cell, "response_p99",
                Contenders.NO_POST);
    }

    private void besides(String goal, double bound, String cell, String metric, String peer) {
        double ours = rate.median(cell, OURS, metric);
        double other = rate.median(cell, peer, metric);
        report.goal(Goal.atMost(goal, bound, ours / other, Figures.format(ours / other, "×") + " (" + ns(ours) + ", "
                + peer + ' ' + ns(other) + ")"));
    }

    private void idleGoals() {
        report.exchanges("idle to consumed while spinning, p50", IDLE_EXCHANGES, OpsBench.IDLE + ", spinning",
                idle.median("spinning", OURS, "consumed_p50"),
                ", C " + ns(idle.median("spinning", C, "consumed_p50")));
        double ours = idle.median("parked", OURS, "consumed_p50");
        double c = idle.median("parked", C, "consumed_p50");
        report.goal(Goal.atMost("idle to consumed when parked: p50 not above that of the C pool", 1, ours / c,
                ns(ours) + ", C " + ns(c)));
    }

    private void burstGoals() {
        String inC = "; in C, knowing when: " + Figures.format(burst(OpsBench.C_KNOWS, "consumed_p99")) + ", spinning "
                + Figures.format(burst(OpsBench.C_SPINS, "consumed_p99"));
        burstGoals("bursts 200 µs apart, learned idling", OpsBench.LEARNED, OpsBench.SPINNING, inC);
        burstGoals("the same with cpu.latency=0 for both", OpsBench.LEARNED + OpsBench.AWAKE,
                OpsBench.SPINNING + OpsBench.AWAKE, "");
        burstGoals("the same with cpu.latency=0 and realtime.priority=1 for who sleeps",
                OpsBench.LEARNED + OpsBench.REALTIME, OpsBench.SPINNING, "");
    }

    private void burstGoals(String what, String learned, String spinning, String beside) {
        double spinP99 = burst(spinning, "consumed_p99");
        double p99 = burst(learned, "consumed_p99");
        report.goal(Goal.atMost(what + ": p99 at most 2 × that of pure spinning", 2, p99 / spinP99,
                Figures.format(p99 / spinP99, "×") + " (" + ns(p99) + ", spinning " + Figures.format(spinP99)
                        + beside + ")"));
        double cpu = burst(learned, "cpu_pct") / burst(spinning, "cpu_pct");
        report.goal(Goal.atMost(what + ": less than half the CPU time of pure spinning", 0.5, cpu,
                Figures.format(100 * cpu, "% of it")));
    }

    private void passGoals() {
        String worst = "";
        double most = Double.NaN;
        for (String ops : pass.scenarios()) {
            double perOp = pass.median(ops, "ours", "ns_per_op");
            if (Double.isNaN(most) || perOp > most) {
                most = perOp;
                worst = ops;
            }
        }
        double clock = timer.median("clock", "java", "nanotime_ns");
        report.goal(Goal.atMost("a pass over 1 to 4096 active, idle ops, fixed cost included: at most a clock reading"
                + " per op", 1, most / clock, Figures.format(most / clock, "×") + " (" + ns(most) + ", at " + worst
                + " active; a reading " + ns(clock) + ")"));
        double slope = (pass.median("4096", "ours", "ns_per_pass") - pass.median("1", "ours", "ns_per_pass")) / 4095;
        report.atMost("each further active, idle op, 1 to 4096: at most half a clock reading", 0.5, slope / clock,
                " × (" + ns(slope) + ")");
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
