/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Table;
import io.proxyrt.bench.run.Experiment;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Scale;
import java.util.List;

/** CollNet's switch in software. */
public final class CollNetBench extends Bench {
    /** No other programs take part. */
    public static final List<Job.Program> PROGRAMS = List.of();

    static final String REDUCTION = "reduction";
    private static final List<String> PARTICIPANTS = List.of("2", "4", "8");
    private static final double LEAST_OF_SUM = 0.8;
    private static final double WARMUP = 4;

    /**
     * The benchmark.
     *
     * @param scale how long
     * @param peers none
     */
    public CollNetBench(Scale scale, Peers peers) {
        super(scale, peers);
    }

    @Override
    public List<Group> groups() {
        List<String> participants = scale.isWhole() ? PARTICIPANTS : PARTICIPANTS.subList(0, 1);
        return List.of(jobs(REDUCTION, "by participants").rig(OURS, "switch pinned=true participants="
                + String.join(",", participants) + " warmup=" + time(WARMUP * scale.warmup()) + " seconds="
                + seconds(5)).group(REDUCTION));
    }

    @Override
    public void fill(Report report) {
        Experiment reduction = report.experiment(REDUCTION);
        for (String participants : PARTICIPANTS) {
            report.atLeast(participants + " participants: a thread of the switch reduces at at least " + LEAST_OF_SUM
                    + " × the rate of a sum in cache", LEAST_OF_SUM, reduction.median(participants, OURS, "of_sum"),
                    " ×");
        }
        report.table(REDUCTION, REDUCTION, Table.of("participants", PARTICIPANTS.stream()
                        .filter(participants -> reduction.isMeasured(participants, OURS)).toList(), number -> number)
                .column("sum in cache, GB/s", number -> reduction.stat(number, OURS, "sum_gbs"))
                .column("switch reduces, GB/s", number -> reduction.stat(number, OURS, "reduce_gbs"))
                .column("of the sum in cache", number -> reduction.stat(number, OURS, "of_sum"))
                .column("switch, GB/s in", number -> reduction.stat(number, OURS, "switch_gbs"))
                .column("in the system, % of its CPU time", number -> reduction.stat(number, OURS, "system")));
    }
}
