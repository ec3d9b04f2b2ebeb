/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.contender.PoolContender;
import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.Results;

/** The three scenarios of the seeds: what they estimate for a mutex and for doing without, and what was measured. */
final class OpsScenarios {
    private static final String OURS = PoolContender.kinds().getFirst();
    private static final int MANY = 4;

    private final Results results;
    private final Table table = new Table("scenario", "the seeds say", "measured", "so the seeds are");

    OpsScenarios(Results results) {
        this.results = results;
    }

    Table table() {
        low(1_000);
        high(100_000);
        high(1_000_000);
        streams();
        return table;
    }

    /** Shares of all time, as at such rates most of it is spent elsewhere. */
    private void low(int rate) {
        String cell = OpsPlan.cell(rate);
        for (String c : new String[] {OpsPlan.C_POLLING, OpsPlan.C_SLEEPING}) {
            double timer = results.stat(OpsPlan.RATE, cell, c, "timer_ns").median();
            double locked = results.stat(OpsPlan.RATE, cell, c, "locked_p50").median() - timer;
            double post = results.stat(OpsPlan.RATE, cell, c, "service_p50").median() - timer;
            String consumer = c.equals(OpsPlan.C_POLLING) ? "consumer polling" : "consumer asleep";
            double overhead = 100 * locked * rate / 1e9;
            row("less than 1K ops/s (" + cell + "), " + consumer, "mutex < 1 % of all time", overhead,
                    "% of all time is the mutex", 0, 1);
            double ours = c.equals(OpsPlan.C_POLLING) ? ourPost(cell, OURS) : ourPost(cell, OURS + OpsPlan.PARKED);
            row("", "lock-free: 2 to 5 % better", 100 * (post - ours) * rate / 1e9, "% of all time saved", 2, 5);
        }
    }

    private void high(int rate) {
        String cell = OpsPlan.cell(rate);
        double timer = results.stat(OpsPlan.RATE, cell, OpsPlan.C_POLLING, "timer_ns").median();
        double locked = results.stat(OpsPlan.RATE, cell, OpsPlan.C_POLLING, "locked_p50").median() - timer;
        double post = results.stat(OpsPlan.RATE, cell, OpsPlan.C_POLLING, "service_p50").median() - timer;
        row("more than 100K ops/s (" + cell + ")", "mutex 10 to 30 % of posting time", 100 * locked / post,
                "% of posting time is the mutex", 10, 30);
        row("", "lock-free: 15 to 30 % better", 100 * (1 - ourPost(cell, OURS) / post), "% of posting time saved", 15,
                30);
    }

    private void streams() {
        String cell = OpsPlan.cell(MANY, 1);
        double timer = results.stat(OpsPlan.THROUGHPUT, cell, OpsPlan.C_POLLING, "timer_ns").median();
        double locked = results.stat(OpsPlan.THROUGHPUT, cell, OpsPlan.C_POLLING, "locked_p99").median() - timer;
        double post = results.stat(OpsPlan.THROUGHPUT, cell, OpsPlan.C_POLLING, "post_p99").median() - timer;
        table.row("many streams (" + cell + ", at full load)", "contention high",
                Figures.format(locked) + " of the " + Figures.format(post) + " ns of a post at p99 are the mutex", "–");
        double c = results.stat(OpsPlan.THROUGHPUT, cell, OpsPlan.C_POLLING, "mops").median();
        double ours = results.stat(OpsPlan.THROUGHPUT, cell, OURS, "mops").median();
        row("", "lock-free: 30 to 50 % better", 100 * (1 - c / ours), "% less time per op, from post to fetch", 30, 50);
    }

    private double ourPost(String cell, String contender) {
        double timer = results.stat(OpsPlan.TIMER, "clock", "java", "nanotime_ns").median();
        return results.stat(OpsPlan.RATE, cell, contender, "service_p50").median() - timer;
    }

    private void row(String scenario, String claim, double percent, String what, double least, double most) {
        String verdict = "–";
        if (!Double.isNaN(percent)) {
            verdict = percent < least ? "too high" : percent > most ? "too low" : "confirmed";
        }
        table.row(scenario, claim, Figures.format(percent) + " " + what, verdict);
    }
}
