/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import io.proxyrt.bench.contender.Contenders;
import io.proxyrt.bench.contender.PoolContender;
import io.proxyrt.bench.rig.RigMain;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.agent.CpuLatency;
import io.proxyrt.core.spi.Platform;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Which measurements are made of the ops pool and the progress engine. */
public final class OpsPlan implements Plan {
    /** Post to fetch, as fast as it goes. */
    public static final String THROUGHPUT = "throughput";
    /** Posts at a fixed rate. */
    public static final String RATE = "rate";
    /** One op now and then. */
    public static final String IDLE = "idle";
    /** Several ops at once now and then. */
    public static final String BURSTS = "bursts";
    /** A runtime that does nothing. */
    public static final String RUNTIME = "runtime";
    /** One thread through a pool. */
    public static final String POOL = "pool";
    /** A pass of the progress agent. */
    public static final String PASS = "pass";
    /** The clock. */
    public static final String TIMER = "timer";
    /** RCCL's pool in C whose consumer polls. */
    public static final String C_POLLING = "c-mutex";
    /** RCCL's pool in C whose consumer sleeps on the condition variable. */
    public static final String C_SLEEPING = "c-mutex-sleeping";
    /** A thread in C that looks at a word all the time. */
    public static final String C_SPINS = "c-spin";
    /** The same, but it sleeps between bursts, and knows how long: what is there to be had. */
    public static final String C_KNOWS = "c-knows";
    /** A consumer that never lets go of its core. */
    public static final String SPINNING = "spin";
    /** A consumer that sleeps until shortly before the next burst is due. */
    public static final String LEARNED = "learned";
    /** Added to the name of a contender whose consumer parks, where others' spin. */
    public static final String PARKED = "-parked";
    /** Added to the name of a contender on CPUs that do not sleep. */
    public static final String AWAKE = "-awake";
    /** Added to the name of a contender that sleeps on such CPUs, and comes before all others when it wakes. */
    public static final String REALTIME = "-realtime";
    /** Ops a second of {@link #RATE}. */
    public static final List<Integer> RATES = List.of(1_000, 100_000, 1_000_000);

    private static final List<Integer> PRODUCERS = List.of(1, 2, 4);
    private static final List<Integer> BATCHES = List.of(1, 16);
    private static final String AWAKE_OPTION = "cpu.latency=0";
    private static final String REALTIME_OPTION = "realtime.priority=1";
    private static final String IDLE_INTERVAL = "0.0001";
    /** The one cell of {@link #BURSTS}. */
    public static final String BURST_CELL = "200 us apart";
    private static final String BURST_INTERVAL = "0.0002";
    /** As long as the CPU time of half an interval allows, with what it takes to sleep. */
    private static final String BURST_SLEEP_NS = "105000";
    /** Where one of two CPUs is always taken, a compiler that still works is what the last percent waits for. */
    private static final double BURST_WARMUP = 10;

    private final Scale scale;
    private final boolean hasC;

    /**
     * A plan.
     *
     * @param scale how long
     * @param hasC  whether the peer in C takes part
     */
    public OpsPlan(Scale scale, boolean hasC) {
        this.scale = scale;
        this.hasC = hasC;
    }

    /**
     * The cell of {@link #THROUGHPUT}.
     *
     * @param producers how many
     * @param batch     ops of a post
     * @return its name
     */
    public static String cell(int producers, int batch) {
        return producers + (producers == 1 ? " producer" : " producers") + ", batch " + batch;
    }

    /**
     * The cell of {@link #RATE}.
     *
     * @param rate ops a second
     * @return its name
     */
    public static String cell(int rate) {
        return String.format(Locale.ROOT, "%,d ops/s", rate);
    }

    @Override
    public List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        for (int producers : PRODUCERS) {
            for (int batch : BATCHES) {
                if (scale.isWhole() || producers == 1 == (batch == 1)) {
                    groups.add(throughput(producers, batch));
                }
            }
        }
        RATES.subList(0, scale.isWhole() ? RATES.size() : 2).forEach(rate -> groups.add(rate(rate)));
        groups.add(idle("spin", "spinning"));
        groups.add(idle("park", "parked"));
        groups.add(bursts());
        groups.add(runtime());
        groups.add(jmh());
        return groups;
    }

    private Group throughput(int producers, int batch) {
        String cell = cell(producers, batch);
        List<Job> jobs = new ArrayList<>();
        for (String contender : Contenders.names(producers)) {
            jobs.add(java(THROUGHPUT, cell, contender, "throughput", "contender=" + contender, "producers=" + producers,
                    "batch=" + batch, "wait=yield", warmup(), seconds(1)));
        }
        if (hasC) {
            jobs.add(c(THROUGHPUT, cell, C_POLLING, "yield", producers, batch, 1));
            jobs.add(c(THROUGHPUT, cell, C_SLEEPING, "block", producers, batch, 1));
        }
        return new Group(THROUGHPUT + ", " + cell, jobs);
    }

    /** At the lowest rate only those that the seeds' first scenario compares: a few posts say little about the rest. */
    private Group rate(int rate) {
        String cell = cell(rate);
        double interval = 1.0 / rate;
        double longer = rate < RATES.get(1) ? 2 : 1.5;
        List<String> contenders = new ArrayList<>(Contenders.names(1));
        contenders.add(Contenders.NO_POST);
        List<Job> jobs = new ArrayList<>();
        for (String contender : contenders) {
            boolean isCompared = PoolContender.kinds().contains(contender)
                    || contender.equals(Contenders.LOCK_CONDITION);
            if (rate >= RATES.get(1) || isCompared) {
                jobs.add(java(RATE, cell, contender, "paced", "contender=" + contender, "interval=" + interval,
                        "catchesUp=true", "wait=spin", warmup(), seconds(longer)));
            }
        }
        if (rate < RATES.get(1)) {
            String ours = PoolContender.kinds().getFirst();
            jobs.add(java(RATE, cell, ours + PARKED, "paced", "contender=" + ours, "interval=" + interval,
                    "catchesUp=true", "wait=park", warmup(), seconds(longer)));
        }
        if (hasC) {
            jobs.add(c(RATE, cell, C_POLLING, "spin", 1, 1, longer, nanos(interval), "1"));
        }
        if (hasC && rate < RATES.get(1)) {
            jobs.add(c(RATE, cell, C_SLEEPING, "block", 1, 1, longer, nanos(interval), "1"));
        }
        return new Group(RATE + ", " + cell, jobs);
    }

    private Group idle(String wait, String cell) {
        List<Job> jobs = new ArrayList<>();
        for (String contender : Contenders.names(1)) {
            jobs.add(java(IDLE, cell, contender, "paced", "contender=" + contender, "interval=" + IDLE_INTERVAL,
                    "catchesUp=false", "wait=" + wait, warmup(), seconds(2)));
        }
        if (wait.equals("park") && CpuLatency.isPermitted()) {
            String ours = PoolContender.kinds().getFirst();
            jobs.add(java(IDLE, cell, ours + AWAKE, "paced", "contender=" + ours, "interval=" + IDLE_INTERVAL,
                    "catchesUp=false", "wait=" + wait, warmup(), seconds(2), AWAKE_OPTION));
        }
        if (hasC) {
            String interval = nanos(Double.parseDouble(IDLE_INTERVAL));
            jobs.add(c(IDLE, cell, C_POLLING, wait.equals("park") ? "block" : "spin", 1, 1, 2, interval, "0"));
        }
        return new Group(IDLE + ", " + cell, jobs);
    }

    private Group bursts() {
        List<Job> jobs = new ArrayList<>();
        for (String kind : RigMain.idleKinds()) {
            jobs.add(bursts(kind, ""));
        }
        if (CpuLatency.isPermitted()) {
            jobs.add(bursts(SPINNING, AWAKE, AWAKE_OPTION));
            jobs.add(bursts(LEARNED, AWAKE, AWAKE_OPTION));
        }
        if (CpuLatency.isPermitted() && mayHavePriority()) {
            jobs.add(bursts(LEARNED, REALTIME, AWAKE_OPTION, REALTIME_OPTION));
        }
        if (hasC) {
            jobs.add(burstsInC(C_SPINS, "0"));
            jobs.add(burstsInC(C_KNOWS, BURST_SLEEP_NS));
        }
        return new Group(BURSTS, jobs);
    }

    private Job bursts(String kind, String suffix, String... options) {
        List<String> words = new ArrayList<>(List.of("bursts", "contender=" + PoolContender.kinds().getFirst(),
                "idle=" + kind, "interval=" + BURST_INTERVAL, "warmup=" + BURST_WARMUP * scale.warmup(), seconds(3)));
        words.addAll(List.of(options));
        return new Job(BURSTS, BURST_CELL, kind + suffix, Job.Program.JAVA, words);
    }

    /** Whether this process may give its threads real-time priority. */
    private static boolean mayHavePriority() {
        FutureTask<Boolean> trial = new FutureTask<>(() -> {
            try {
                Platform.find().realtimePriority(1);
                return true;
            } catch (ProxyException e) {
                return false;
            }
        });
        Thread.ofPlatform().start(trial);
        try {
            return trial.get(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("cannot try real-time priority", e);
        }
    }

    private Job burstsInC(String contender, String sleepNs) {
        return new Job(BURSTS, BURST_CELL, contender, Job.Program.BURSTS,
                List.of(Double.toString(3 * scale.seconds()), nanos(Double.parseDouble(BURST_INTERVAL)), sleepNs));
    }

    private Group runtime() {
        List<Job> jobs = new ArrayList<>();
        for (String mode : List.of("DEDICATED", "SHARED")) {
            jobs.add(java(RUNTIME, "idle", mode, "runtime", "mode=" + mode, "warmup=" + scale.runtime(),
                    "seconds=" + scale.runtime()));
        }
        return new Group(RUNTIME, jobs);
    }

    private Group jmh() {
        String iteration = "seconds=" + scale.iteration();
        return new Group("JMH", List.of(
                java(TIMER, "clock", "java", "timer"),
                java(POOL, "JMH", "ours", "jmh", "benchmark=pool", iteration),
                java(PASS, "JMH", "ours", "jmh", "benchmark=pass", iteration)));
    }

    private static Job java(String experiment, String scenario, String contender, String... words) {
        return new Job(experiment, scenario, contender, Job.Program.JAVA, List.of(words));
    }

    private Job c(String experiment, String scenario, String contender, String wait, int producers, int batch,
            double longer, String... more) {
        List<String> words = new ArrayList<>(List.of(wait, Integer.toString(producers), Integer.toString(batch),
                Double.toString(longer * scale.seconds())));
        words.addAll(List.of(more));
        return new Job(experiment, scenario, contender, Job.Program.OPSQUEUE, words);
    }

    private static String nanos(double seconds) {
        return Long.toString(Math.round(seconds * 1e9));
    }

    private String warmup() {
        return "warmup=" + scale.warmup();
    }

    private String seconds(double longer) {
        return "seconds=" + longer * scale.seconds();
    }
}
