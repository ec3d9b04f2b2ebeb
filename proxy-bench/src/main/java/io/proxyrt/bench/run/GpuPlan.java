/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which measurements are made of GPUs: a proxy's turn, and what two ranks get over each transport. */
public final class GpuPlan implements Plan {
    /** A kernel's word to a thread and back. */
    public static final String PING_PONG = "ping-pong";
    /** The kernel looks for the answer from the moment it has stored its word. */
    public static final String LOOKS_AT_ONCE = "looks at once";
    /** The kernel's first look is when the answer can be there. */
    public static final String LOOKS_LATER = "first look after 350 ns";
    /** From one rank to the other. */
    public static final String ONE_WAY = "one-way";
    /** Both ranks send and receive. */
    public static final String BOTH_WAYS = "both-ways";
    /** Sums of floats. */
    public static final String ALL_REDUCE = "all_reduce";
    /** What is measured by size. */
    public static final List<String> CALLS = List.of(ONE_WAY, BOTH_WAYS, ALL_REDUCE);
    /** The beginning of the names of ours. */
    public static final String OURS = MessagePlan.OURS;
    /** The beginning of the names of NCCL's. */
    public static final String NCCL = "nccl";
    /** Kernels that reach the other GPU's memory. */
    public static final String P2P = "-p2p";
    /** Copy engines between GPUs. */
    public static final String P2P_CE = "-p2p_ce";
    /** Memory of the host. */
    public static final String SHM = "-shm";
    /** Sockets. */
    public static final String NET = "-net";

    private static final int ROUNDS = 20_000;
    private static final int PAUSE_NS = 350;
    private static final int WARM_UP_CALLS = 1000;
    private static final int CALLS_A_BATCH = 200;
    private static final int CALLS_OF_SMOKE = 4;
    private static final long LEAST_BYTES = 1 << 10;
    private static final long MOST_BYTES = 256L << 20;
    private static final long MOST_BYTES_OF_SMOKE = 64 << 10;
    private static final int FACTOR = 4;

    private final Scale scale;
    private final String kind;
    private final int gpus;

    /**
     * A plan.
     *
     * @param scale how long
     * @param kind  of the devices
     * @param gpus  how many there are, 1 or 2
     */
    public GpuPlan(Scale scale, String kind, int gpus) {
        this.scale = scale;
        this.kind = kind;
        this.gpus = gpus;
    }

    @Override
    public List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        groups.add(new Group(PING_PONG, List.of(pingPong(LOOKS_AT_ONCE, 0), pingPong(LOOKS_LATER, PAUSE_NS))));
        CALLS.forEach(call -> groups.add(new Group(call, jobs(call))));
        return groups;
    }

    private Job pingPong(String scenario, int pauseNs) {
        int rounds = scale.isWhole() ? ROUNDS : ROUNDS / 100;
        return new Job(PING_PONG, scenario, OURS, Job.Program.JAVA,
                List.of("gpupingpong", "device=" + kind, "rounds=" + rounds, "pause=" + pauseNs));
    }

    private List<Job> jobs(String call) {
        Map<String, List<String>> ways = new LinkedHashMap<>();
        ways.put(P2P, List.of("coll.transport=P2P"));
        ways.put(P2P_CE, List.of("coll.transport=P2P", "p2p.use.memcpy=1"));
        ways.put(SHM, List.of("coll.transport=SHM"));
        ways.put(NET, List.of("coll.transport=NET", "net.socket.ifname=lo"));
        List<Job> jobs = new ArrayList<>();
        ways.forEach((way, options) -> {
            List<String> words = new ArrayList<>(List.of("gpucomm", "call=" + call, "device=" + kind, "gpus=" + gpus,
                    "warmup=" + (scale.isWhole() ? WARM_UP_CALLS : 1),
                    "calls=" + (scale.isWhole() ? CALLS_A_BATCH : CALLS_OF_SMOKE),
                    "sizes=" + String.join(",", sizes())));
            words.addAll(options);
            jobs.add(new Job(call, MessagePlan.BY_SIZE, OURS + way, Job.Program.JAVA, words));
        });
        return jobs;
    }

    private List<String> sizes() {
        List<String> sizes = new ArrayList<>();
        for (long bytes = LEAST_BYTES; bytes <= (scale.isWhole() ? MOST_BYTES : MOST_BYTES_OF_SMOKE);
                bytes *= FACTOR) {
            sizes.add(Long.toString(bytes));
        }
        return sizes;
    }
}
