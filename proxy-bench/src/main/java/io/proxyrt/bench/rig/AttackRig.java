/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Blocking calls of a good client, by turns undisturbed and while unauthenticated peers attack the same service. */
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
    private static final String QUIET = "-Dorg.slf4j.simpleLogger.log.proxyrt.proxy=error";
    /** What little they compute shall not go into optimising it. */
    private static final String[] ATTACKERS_JVM = {"-XX:TieredStopAtLevel=1", "-XX:-UseG1GC", "-XX:+UseSerialGC"};

    private final RigArguments arguments;
    private final GoodClient client;
    private final PeerJvm attackers;
    private final Measurements found = new Measurements();

    private AttackRig(RigArguments arguments, GoodClient client, PeerJvm attackers) {
        this.arguments = arguments;
        this.client = client;
        this.attackers = attackers;
    }

    static Measurements measure(RigArguments arguments) throws IOException {
        String program = arguments.text("peer");
        return program.isEmpty() ? measureOurs(arguments) : measurePeer(arguments, program);
    }

    private static Measurements measureOurs(RigArguments arguments) throws IOException {
        Map<String, String> options = arguments.options();
        try (PeerJvm service = PeerJvm.of("echo", RigArguments.words(options), QUIET)) {
            String address = service.line();
            try (PeerJvm attackers = attackers(address);
                    EchoCaller caller = new EchoCaller(new Rank(1, Rank.SECRET, options),
                            () -> Addresses.parse(address))) {
                return new AttackRig(arguments, caller::run, attackers).measure();
            }
        }
    }

    /** The same attackers, but a server and a good client in C. */
    private static Measurements measurePeer(RigArguments arguments, String program) throws IOException {
        try (PeerJvm peer = PeerJvm.program(program); PeerJvm attackers = attackers(peer.line())) {
            return new AttackRig(arguments, (durationNs, pauseNs, took) -> {
                for (String ns : peer.ask(durationNs + " " + pauseNs).split(" ")) {
                    took.recordValue(Long.parseLong(ns));
                }
            }, attackers).measure();
        }
    }

    private static PeerJvm attackers(String address) throws IOException {
        return PeerJvm.of("attackers", List.of("service=" + address), ATTACKERS_JVM);
    }

    private Measurements measure() {
        long warmupNs = arguments.nanos("warmup");
        attackers.line();
        // A whole CPU of attacks at first: those that come later meet a service that knows them, as for hours.
        new Company(Attackers.ATTACK, 1).call(WARM_UP * warmupNs, 0);
        client.run(warmupNs, 0, Measurements.histogram());
        measure(0, BACK_TO_BACK);
        measure(PAUSE_NS, PAUSING);
        return found;
    }

    private void measure(long pauseNs, String pace) {
        long secondsNs = arguments.nanos("seconds");
        double share = Double.parseDouble(arguments.text("share"));
        Histogram undisturbed = Measurements.histogram();
        Company neighbour = new Company(Attackers.COMPUTE, share);
        Company attack = new Company(Attackers.ATTACK, share);
        for (int turn = 0; turn < TURNS; turn++) {
            client.run(secondsNs, pauseNs, undisturbed);
            neighbour.call(secondsNs, pauseNs);
            attack.call(secondsNs, pauseNs);
        }
        found.add(UNDISTURBED + pace, "rtt", undisturbed);
        neighbour.addTo(found, CROWDED + pace);
        attack.addTo(found, ATTACKED + pace);
        found.add(ATTACKED + pace, "attacks_per_s", attack.attacks * 1e9 / attack.wallNs);
    }

    /** Calls for so long with such pauses, and notes the time of each call. */
    private interface GoodClient {
        void run(long durationNs, long pauseNs, Histogram took);
    }

    /** Calls while another process does something, and what that one did. */
    private final class Company {
        private final String order;
        private final Histogram took = Measurements.histogram();
        private long attacks;
        private long cpuNs;
        private long wallNs;

        Company(String what, double share) {
            this.order = what + ' ' + share;
        }

        void call(long durationNs, long pauseNs) {
            attackers.ask(order);
            client.run(durationNs, pauseNs, took);
            String[] report = attackers.ask(Attackers.REST).split(" ");
            attacks += Long.parseLong(report[0]);
            cpuNs += Long.parseLong(report[1]);
            wallNs += Long.parseLong(report[2]);
        }

        void addTo(Measurements found, String cell) {
            found.add(cell, "rtt", took);
            found.add(cell, "company_cpu_pct", 100.0 * cpuNs / wallNs);
        }
    }
}
