/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.RpcPlan;
import java.util.ArrayList;
import java.util.List;

/** The goals of the control plane, held against the medians of a run. */
final class RpcGoals {
    private static final double CALL_BOUND = 1.3;
    private static final double SPIN_BOUND = 2;
    private static final double GET_FD_BOUND = 2;
    private static final double CALLS_PER_S = 50_000;
    private static final double SET_UP_S = 2;
    private static final double PENDING_PERCENT = 2;
    private static final double ATTACK_BOUND = 3;

    private final Results results;
    private final List<Goal> goals = new ArrayList<>();

    RpcGoals(Results results) {
        this.results = results;
    }

    List<Goal> judge() {
        roundTrip("a blocking call over TCP: p50 at most 1.3 × that of C's poll() server", CALL_BOUND, RpcPlan.CALL,
                RpcPlan.TCP, RpcPlan.OURS, RpcPlan.C_POLL);
        roundTrip("a blocking call over TCP, both ends spinning: p50 at most 2 × that of C", SPIN_BOUND, RpcPlan.CALL,
                RpcPlan.TCP, RpcPlan.OURS + RpcPlan.SPIN, RpcPlan.C_SPIN);
        for (String sockets : List.of(RpcPlan.JUNIX, RpcPlan.NATIVE)) {
            roundTrip("GetFd, " + sockets + ": p50 at most 2 × that of C's exchange, poll() server", GET_FD_BOUND,
                    RpcPlan.GET_FD, RpcPlan.DESCRIPTOR, sockets, RpcPlan.C_POLL);
            roundTrip("GetFd, " + sockets + ", both ends spinning: p50 at most 2 × that of C", GET_FD_BOUND,
                    RpcPlan.GET_FD, RpcPlan.DESCRIPTOR, sockets + RpcPlan.SPIN, RpcPlan.C_SPIN);
        }
        double calls = first(RpcPlan.ASYNC, "calls_per_s");
        goals.add(Goal.atLeast("asynchronous calls through one service thread: at least 50,000/s", CALLS_PER_S, calls,
                Figures.format(calls) + "/s"));
        double setUp = first(RpcPlan.SET_UP, "first_ms") / 1000;
        goals.add(Goal.atMost("1,000 connections set up by 8 clients at once, in a fresh JVM: less than 2 s", SET_UP_S,
                setUp, Figures.format(setUp) + " s"));
        double pending = first(RpcPlan.PENDING, "cpu_pct");
        goals.add(Goal.atMost("the service thread while a Setup is pending: less than 2 % of a core", PENDING_PERCENT,
                pending, Figures.format(pending) + " %"));
        attack(RpcPlan.BACK_TO_BACK);
        attack(RpcPlan.PAUSING);
        return goals;
    }

    private void roundTrip(String goal, double bound, String experiment, String cell, String ours, String peer) {
        double our = median(experiment, cell, ours, "rtt_p50");
        double theirs = median(experiment, cell, peer, "rtt_p50");
        goals.add(Goal.atMost(goal, bound, our / theirs, Figures.format(our / theirs) + " × ("
                + RpcTables.micros(our) + " µs, C " + RpcTables.micros(theirs) + " µs)"));
    }

    private void attack(String pace) {
        double undisturbed = median(RpcPlan.ATTACK, RpcPlan.UNDISTURBED + pace, RpcPlan.OURS, "rtt_p99");
        double attacked = median(RpcPlan.ATTACK, RpcPlan.ATTACKED + pace, RpcPlan.OURS, "rtt_p99");
        goals.add(Goal.atMost("a good client's calls under attack" + pace + ": p99 at most 3 × that of undisturbed",
                ATTACK_BOUND, attacked / undisturbed, Figures.format(attacked / undisturbed) + " × ("
                        + RpcTables.micros(attacked) + " µs, undisturbed " + RpcTables.micros(undisturbed) + " µs"
                        + peer(pace) + ")"));
    }

    private String peer(String pace) {
        double undisturbed = median(RpcPlan.ATTACK, RpcPlan.UNDISTURBED + pace, RpcPlan.C_POLL, "rtt_p99");
        double attacked = median(RpcPlan.ATTACK, RpcPlan.ATTACKED + pace, RpcPlan.C_POLL, "rtt_p99");
        return Double.isNaN(attacked) ? ""
                : "; C " + RpcTables.micros(attacked) + " µs, undisturbed " + RpcTables.micros(undisturbed) + " µs";
    }

    /** Of an experiment with one cell and one contender. */
    private double first(String experiment, String metric) {
        List<String> cells = results.scenarios(experiment);
        return cells.isEmpty() ? Double.NaN : median(experiment, cells.getFirst(),
                results.contenders(experiment).getFirst(), metric);
    }

    private double median(String experiment, String scenario, String contender, String metric) {
        return results.stat(experiment, scenario, contender, metric).median();
    }
}
