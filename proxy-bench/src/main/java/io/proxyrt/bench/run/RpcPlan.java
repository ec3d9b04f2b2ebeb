/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Which measurements are made of the control plane: calls to the service thread, and descriptors. */
public final class RpcPlan implements Plan {
    /** A call of 64 bytes and its answer. */
    public static final String CALL = "call";
    /** A descriptor of memory. */
    public static final String GET_FD = "getfd";
    /** Calls by futures. */
    public static final String ASYNC = "async";
    /** Many connections at once. */
    public static final String SET_UP = "setup";
    /** A Setup that cannot be answered. */
    public static final String PENDING = "pending";
    /** A runtime that does nothing. */
    public static final String RUNTIME = "runtime";
    /** A good client among bad ones. */
    public static final String ATTACK = "attack";

    /** The cell of {@link #CALL} over loopback TCP. */
    public static final String TCP = "TCP";
    /** The cell of {@link #CALL} over a Unix socket. */
    public static final String UNIX = "Unix socket";
    /** The only cell of {@link #GET_FD}. */
    public static final String DESCRIPTOR = "one descriptor";
    /** The cells of {@link #ATTACK} without attackers, with the pace behind. */
    public static final String UNDISTURBED = "undisturbed";
    /** Those with attackers. */
    public static final String ATTACKED = "under attack";
    /** Those with a process that takes as much of a CPU, and lets the service alone. */
    public static final String CROWDED = "beside mere computing";
    /** A client whose calls follow each other at once. */
    public static final String BACK_TO_BACK = ", back to back";
    /** A client that pauses between calls, so that they meet what goes on as it is at any moment. */
    public static final String PAUSING = ", 1 ms apart";

    /** A client that blocks and a server that sleeps in poll(), in C. */
    public static final String C_POLL = "c-poll";
    /** Both ends look again and again, in C. */
    public static final String C_SPIN = "c-spin";
    /** A call as NCCL's and RCCL's proxies write it, in C. */
    public static final String C_NCCL = "c-nccl";
    /** Added to the name of one whose ends the scheduler places. */
    public static final String UNPINNED = "-unpinned";
    /** Ours; the beginning of the names of all that are. */
    public static final String OURS = "proxyrt";
    /** Added to the name of ours where both ends spin. */
    public static final String SPIN = "-spin";
    /** Added to the name of ours whose service thread sleeps at once. */
    public static final String PARKING = "-parking";
    /** Added to the name of ours in TLS. */
    public static final String TLS = "-tls";
    /** Ours over the sockets of the library junixsocket. */
    public static final String JUNIX = OURS + "-junix";
    /** Ours over the platform's own sockets. */
    public static final String NATIVE = OURS + "-native";

    /** Outstanding calls of {@link #ASYNC}. */
    public static final int WINDOW = 256;
    /** Connections of {@link #SET_UP}. */
    public static final int CONNECTIONS = 1_000;
    /** Threads that make them. */
    public static final int CLIENTS = 8;
    /** Per cent of one CPU that the attackers may use. */
    public static final int ATTACKERS_PERCENT = 10;

    private static final double WARMUP = 2.5;
    private static final double SECONDS = 2;
    private static final double LOOK = 2;
    private static final String PLAIN = "tls=false";
    private static final String UNIX_SOCKET = "rpc.listen=unix";
    private static final List<String> SPINNING = List.of("rpc.spin=1s", "uds.spin=1s", "control.linger=1s");
    private static final List<String> SLEEPY = List.of("control.linger=0");
    private static final List<String> DEFAULTS = List.of();

    private final Scale scale;
    private final boolean hasC;
    private final String attackedC;

    /**
     * A plan.
     *
     * @param scale     how long
     * @param hasC      whether the peers in C take part
     * @param attackedC the file of the one that is attacked; empty if there is none
     */
    public RpcPlan(Scale scale, boolean hasC, String attackedC) {
        this.scale = scale;
        this.hasC = hasC;
        this.attackedC = attackedC;
    }

    @Override
    public List<Group> groups() {
        return List.of(tcp(), unix(), descriptors(), rest());
    }

    private Group tcp() {
        List<Job> jobs = new ArrayList<>();
        c(jobs, CALL, TCP, C_POLL, "tcp", "poll");
        jobs.add(call(TCP, OURS, PLAIN, DEFAULTS));
        c(jobs, CALL, TCP, C_SPIN, "tcp", "spin");
        jobs.add(call(TCP, OURS + SPIN, PLAIN, SPINNING));
        c(jobs, CALL, TCP, C_NCCL, "tcp", "nccl");
        if (scale.isWhole()) {
            jobs.add(call(TCP, OURS + TLS, "tls=true", DEFAULTS));
            jobs.add(call(TCP, OURS + PARKING, PLAIN, SLEEPY));
            c(jobs, CALL, TCP, C_POLL + UNPINNED, "tcp", "poll", "unpinned");
            jobs.add(call(TCP, OURS + UNPINNED, PLAIN, DEFAULTS));
        }
        return new Group(CALL + ", " + TCP, jobs);
    }

    private Group unix() {
        List<Job> jobs = new ArrayList<>();
        c(jobs, CALL, UNIX, C_POLL, "unix", "poll");
        jobs.add(call(UNIX, OURS, PLAIN, List.of(UNIX_SOCKET)));
        if (scale.isWhole()) {
            List<String> options = new ArrayList<>(SPINNING);
            options.add(UNIX_SOCKET);
            c(jobs, CALL, UNIX, C_SPIN, "unix", "spin");
            jobs.add(call(UNIX, OURS + SPIN, PLAIN, options));
        }
        return new Group(CALL + ", " + UNIX, jobs);
    }

    private Group descriptors() {
        List<Job> jobs = new ArrayList<>();
        c(jobs, GET_FD, DESCRIPTOR, C_POLL, "fd", "poll");
        jobs.add(getFd(JUNIX, "junixsocket", DEFAULTS));
        if (scale.isWhole()) {
            jobs.add(getFd(NATIVE, "native", DEFAULTS));
        }
        c(jobs, GET_FD, DESCRIPTOR, C_SPIN, "fd", "spin");
        if (scale.isWhole()) {
            jobs.add(getFd(JUNIX + SPIN, "junixsocket", SPINNING));
        }
        jobs.add(getFd(NATIVE + SPIN, "native", SPINNING));
        if (scale.isWhole()) {
            c(jobs, GET_FD, DESCRIPTOR, C_POLL + UNPINNED, "fd", "poll", "unpinned");
            jobs.add(getFd(JUNIX + UNPINNED, "junixsocket", DEFAULTS));
        }
        return new Group(GET_FD, jobs);
    }

    private Group rest() {
        String look = "seconds=" + LOOK * scale.runtime();
        List<Job> jobs = new ArrayList<>(List.of(
                java(ASYNC, "window of " + WINDOW, OURS, List.of("async", "window=" + WINDOW, warmup(), seconds())),
                java(SET_UP, CLIENTS + " clients", OURS, List.of("setup", "clients=" + CLIENTS,
                        "connections=" + CONNECTIONS)),
                java(PENDING, "one Setup", OURS, List.of("pending", "warmup=" + scale.runtime(), look)),
                java(RUNTIME, "idle", "DEDICATED", List.of("runtime", "mode=DEDICATED", "warmup=" + scale.runtime(),
                        look)),
                attack(OURS, "")));
        if (!attackedC.isEmpty()) {
            jobs.add(attack(C_POLL, attackedC));
        }
        return new Group("the others", jobs);
    }

    private Job attack(String contender, String program) {
        return java(ATTACK, "both", contender, List.of("attack", "share=" + ATTACKERS_PERCENT / 100.0, warmup(),
                seconds(), "peer=" + program));
    }

    private Job call(String scenario, String contender, String tls, List<String> options) {
        List<String> words = new ArrayList<>(List.of("call", tls, pinned(contender), warmup(), seconds()));
        words.addAll(options);
        return java(CALL, scenario, contender, words);
    }

    private Job getFd(String contender, String sockets, List<String> options) {
        List<String> words = new ArrayList<>(List.of("getfd", "uds.sockets=" + sockets, pinned(contender), warmup(),
                seconds()));
        words.addAll(options);
        return java(GET_FD, DESCRIPTOR, contender, words);
    }

    private static Job java(String experiment, String scenario, String contender, List<String> words) {
        return new Job(experiment, scenario, contender, Job.Program.JAVA, words);
    }

    private void c(List<Job> jobs, String experiment, String scenario, String contender, String wire, String style,
            String... more) {
        if (hasC) {
            List<String> words = new ArrayList<>(List.of(wire, style, time(SECONDS * scale.seconds())));
            words.addAll(List.of(more));
            jobs.add(new Job(experiment, scenario, contender, Job.Program.ROUND_TRIP, words));
        }
    }

    private static String pinned(String contender) {
        return "pinned=" + !contender.endsWith(UNPINNED);
    }

    private String warmup() {
        return "warmup=" + time((scale.isWhole() ? WARMUP : 1) * scale.warmup());
    }

    private String seconds() {
        return "seconds=" + time(SECONDS * scale.seconds());
    }

    private static String time(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds);
    }
}
