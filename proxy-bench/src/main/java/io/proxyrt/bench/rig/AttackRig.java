/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Blocking calls of one client that means well, by turns undisturbed and while strangers attack the same service. */
final class AttackRig {
    private static final int TURNS = 2;
    /** Refusals are counted here, not read. */
    private static final String QUIET = "-Dorg.slf4j.simpleLogger.log.io.proxyrt.rpc.Refusals=error";
    /** What little they compute shall not go into optimising it. */
    private static final List<String> ATTACKERS_JVM = List.of("-XX:TieredStopAtLevel=1", "-XX:-UseG1GC",
            "-XX:+UseSerialGC");

    private final RigArguments arguments;
    private final Histogram undisturbed = Measurements.histogram();
    private final Histogram attacked = Measurements.histogram();
    private long attacks;
    private long attackersCpuNs;
    private long attackedNs;

    AttackRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        Map<String, String> options = arguments.options();
        try (PeerJvm service = PeerJvm.service("echo", options, QUIET)) {
            String address = service.line();
            try (PeerJvm attackers = new PeerJvm(AttackMain.class, ATTACKERS_JVM,
                    List.of(address, arguments.text("share")));
                    EchoCaller caller = new EchoCaller(new Rank(1, Rank.SECRET, options),
                            () -> Addresses.parse(address))) {
                attackers.line();
                measure(caller, attackers);
            }
        }
        Measurements found = new Measurements();
        found.add("undisturbed", "rtt", undisturbed);
        found.add("under attack", "rtt", attacked);
        found.add("under attack", "attacks_per_s", attacks * 1e9 / attackedNs);
        found.add("under attack", "attackers_cpu_pct", 100.0 * attackersCpuNs / attackedNs);
        return found;
    }

    private void measure(EchoCaller caller, PeerJvm attackers) {
        long warmupNs = arguments.nanos("warmup");
        attack(attackers, caller, warmupNs, Measurements.histogram());
        caller.run(warmupNs, Measurements.histogram());
        attacks = 0;
        attackersCpuNs = 0;
        attackedNs = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            caller.run(arguments.nanos("seconds"), undisturbed);
            attack(attackers, caller, arguments.nanos("seconds"), attacked);
        }
    }

    private void attack(PeerJvm attackers, EchoCaller caller, long durationNs, Histogram took) {
        attackers.ask("attack");
        caller.run(durationNs, took);
        String[] report = attackers.ask("rest").split(" ");
        attacks += Long.parseLong(report[0]);
        attackersCpuNs += Long.parseLong(report[1]);
        attackedNs += Long.parseLong(report[2]);
    }
}
