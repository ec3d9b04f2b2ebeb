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
public final class AttackRig {
    /** The cells without attackers, with the pace behind. */
    public static final String UNDISTURBED = "undisturbed";
    /** Those with attackers. */
    public static final String ATTACKED = "under attack";
    /** Those with a process that takes as much of a CPU, and lets the service alone. */
    public static final String CROWDED = "beside mere computing";
    /** A client whose calls follow each other at once. */
    public static final String BACK_TO_BACK = ", back to back";
    /** A client that pauses between calls, so that they meet what goes on as it is at any moment. */
    public static final String PAUSING = ", 1 ms apart";

    private static final int TURNS = 2;
    private static final int WARM_UP = 2;
    private static final long PAUSE_NS = 1_000_000;
    /** Refusals are counted here, not read. */
    private static final String QUIET = "-Dorg.slf4j.simpleLogger.log.io.proxyrt.rpc.Refusals=error";
    /** What little they compute shall not go into optimising it. */
    private static final List<String> ATTACKERS_JVM = List.of("-XX:TieredStopAtLevel=1", "-XX:-UseG1GC",
            "-XX:+UseSerialGC");

    private final RigArguments arguments;
    private final long secondsNs;

    AttackRig(RigArguments arguments) {
        this.arguments = arguments;
        this.secondsNs = arguments.nanos("seconds");
    }

    Measurements measure() throws IOException {
        String program = arguments.text("peer");
        return program.isEmpty() ? measureOurs() : measurePeer(program);
    }

    private Measurements measureOurs() throws IOException {
        Map<String, String> options = arguments.options();
        try (PeerJvm service = PeerJvm.service("echo", options, QUIET)) {
            String address = service.line();
            try (PeerJvm attackers = attackers(address);
                    EchoCaller caller = new EchoCaller(new Rank(1, Rank.SECRET, options),
                            () -> Addresses.parse(address))) {
                return measure(caller::run, attackers);
            }
        }
    }

    /** The same strangers, but a server and a good client in C. */
    private Measurements measurePeer(String program) throws IOException {
        try (PeerJvm peer = PeerJvm.program(program); PeerJvm attackers = attackers(peer.line())) {
            return measure((durationNs, pauseNs, took) -> {
                for (String ns : peer.ask(durationNs + " " + pauseNs).split(" ")) {
                    took.recordValue(Long.parseLong(ns));
                }
            }, attackers);
        }
    }

    private static PeerJvm attackers(String address) throws IOException {
        return new PeerJvm(AttackMain.class, ATTACKERS_JVM, List.of(address));
    }

    private Measurements measure(GoodClient client, PeerJvm attackers) {
        long warmupNs = arguments.nanos("warmup");
        Measurements found = new Measurements();
        attackers.line();
        // A whole CPU of attacks at first: those that come later meet a service that knows them, as for hours.
        new Company(1).ask(attackers, AttackMain.ATTACK,
                () -> client.run(WARM_UP * warmupNs, 0, Measurements.histogram()));
        client.run(warmupNs, 0, Measurements.histogram());
        measure(client, attackers, 0, BACK_TO_BACK, found);
        measure(client, attackers, PAUSE_NS, PAUSING, found);
        return found;
    }

    private void measure(GoodClient client, PeerJvm attackers, long pauseNs, String pace, Measurements found) {
        Histogram undisturbed = Measurements.histogram();
        Histogram crowded = Measurements.histogram();
        Histogram attacked = Measurements.histogram();
        double share = Double.parseDouble(arguments.text("share"));
        Company neighbour = new Company(share);
        Company strangers = new Company(share);
        for (int turn = 0; turn < TURNS; turn++) {
            client.run(secondsNs, pauseNs, undisturbed);
            neighbour.ask(attackers, AttackMain.COMPUTE, () -> client.run(secondsNs, pauseNs, crowded));
            strangers.ask(attackers, AttackMain.ATTACK, () -> client.run(secondsNs, pauseNs, attacked));
        }
        found.add(UNDISTURBED + pace, "rtt", undisturbed);
        found.add(CROWDED + pace, "rtt", crowded);
        found.add(CROWDED + pace, "company_cpu_pct", 100.0 * neighbour.cpuNs / neighbour.wallNs);
        found.add(ATTACKED + pace, "rtt", attacked);
        found.add(ATTACKED + pace, "company_cpu_pct", 100.0 * strangers.cpuNs / strangers.wallNs);
        found.add(ATTACKED + pace, "attacks_per_s", strangers.attacks * 1e9 / strangers.wallNs);
    }

    /** Calls for so long with such pauses, and notes the time of each call. */
    private interface GoodClient {
        void run(long durationNs, long pauseNs, Histogram took);
    }

    /** What another process did while the caller called. */
    private static final class Company {
        private final double share;
        private long attacks;
        private long cpuNs;
        private long wallNs;

        Company(double share) {
            this.share = share;
        }

        void ask(PeerJvm attackers, String what, Runnable calls) {
            attackers.ask(what + ' ' + share);
            calls.run();
            String[] report = attackers.ask("rest").split(" ");
            attacks += Long.parseLong(report[0]);
            cpuNs += Long.parseLong(report[1]);
            wallNs += Long.parseLong(report[2]);
        }
    }
}
