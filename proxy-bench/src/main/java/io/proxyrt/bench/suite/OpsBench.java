/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.contender.Contenders;
import io.proxyrt.bench.contender.PoolContender;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.rig.RigMain;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Scale;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.agent.thread.CpuLatency;
import io.proxyrt.core.platform.Platform;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The ops pool and the progress engine. */
public final class OpsBench extends Bench {
    /** The peers that take part, besides those in Java. */
    public static final List<Job.Program> PROGRAMS = List.of(Job.Program.OPSQUEUE, Job.Program.BURSTS);

    /** Post to fetch, as fast as it goes. */
    static final String THROUGHPUT = "throughput";
    /** Posts at a fixed rate. */
    static final String RATE = "rate";
    /** One op now and then. */
    static final String IDLE = "idle";
    /** Several ops at once now and then. */
    static final String BURSTS = "bursts";
    /** A runtime that does nothing. */
    static final String RUNTIME = "runtime";
    /** One thread through a pool. */
    static final String POOL = "pool";
    /** A pass of the progress agent. */
    static final String PASS = "pass";
    /** The clock. */
    static final String TIMER = "timer";
    /** The default pool. */
    static final String LANES = PoolContender.kinds().getFirst();
    /** RCCL's pool in C whose consumer polls. */
    static final String C_POLLING = "c-mutex";
    /** RCCL's pool in C whose consumer sleeps on the condition variable. */
    static final String C_SLEEPING = "c-mutex-sleeping";
    /** A thread in C that looks at a word all the time. */
    static final String C_SPINS = "c-spin";
    /** The same, but it sleeps between bursts, and knows how long: what is there to be had. */
    static final String C_KNOWS = "c-knows";
    /** A consumer that never lets go of its core. */
    static final String SPINNING = "spin";
    /** A consumer that sleeps until shortly before the next burst is due. */
    static final String LEARNED = "learned";
    /** Added to the name of a contender whose consumer parks, where others' spin. */
    static final String PARKED = "-parked";
    /** Added to the name of a contender on CPUs that do not sleep. */
    static final String AWAKE = "-awake";
    /** Added to the name of a contender that sleeps on such CPUs, and comes before all others when it wakes. */
    static final String REALTIME = "-realtime";
    /** The one cell of {@link #BURSTS}. */
    static final String BURST_CELL = "200 us apart";
    /** Ops a second of {@link #RATE}. */
    static final List<Integer> RATES = List.of(1_000, 100_000, 1_000_000);
    static final List<Integer> PRODUCERS = List.of(1, 2, 4);

    private static final List<Integer> BATCHES = List.of(1, 16);
    private static final String AWAKE_OPTION = " cpu.latency=0";
    private static final String REALTIME_OPTION = " realtime.priority=1";
    private static final double IDLE_INTERVAL = 0.0001;
    private static final double BURST_INTERVAL = 0.0002;
    /** As long as the CPU time of half an interval allows, with what it takes to sleep. */
    private static final String BURST_SLEEP_NS = "105000";
    /** Where one of two CPUs is always taken, a compiler that still works is what the last percent waits for. */
    private static final double BURST_WARMUP = 10;

    /**
     * The benchmark.
     *
     * @param scale how long
     * @param peers which take part
     */
    public OpsBench(Scale scale, Peers peers) {
        super(scale, peers);
    }

    /** The cell of {@link #THROUGHPUT}. */
    static String cell(int producers, int batch) {
        return producers + (producers == 1 ? " producer" : " producers") + ", batch " + batch;
    }

    /** The cell of {@link #RATE}. */
    static String cell(int rate) {
        return String.format(Locale.ROOT, "%,d ops/s", rate);
    }

    @Override
    public List<String> libraries() {
        return List.of("Agrona", "Disruptor", "HdrHistogram", "JCTools", "JMH");
    }

    @Override
    public List<Comparison> comparisons() {
        String one = cell(1, 1);
        String two = cell(2, BATCHES.getLast());
        return List.of(Comparison.rate("ops pool, " + one, THROUGHPUT, one, "mops", LANES, C_POLLING),
                Comparison.rate("ops pool, " + one, THROUGHPUT, one, "mops", LANES, "agrona"),
                Comparison.time("the same: a post at p99", THROUGHPUT, one, "post_p99", LANES, C_POLLING),
                Comparison.rate("ops pool, " + two, THROUGHPUT, two, "mops", LANES, C_POLLING));
    }

    @Override
    public void fill(Report report) {
        new OpsPage(report).add();
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
        String load = " producers=" + producers + " batch=" + batch + " wait=yield";
        Jobs jobs = jobs(THROUGHPUT, cell);
        for (String contender : Contenders.names(producers)) {
            jobs.rig(contender, "throughput contender=" + contender + load + times(1));
        }
        c(jobs, C_POLLING, "yield " + producers + ' ' + batch, 1, "");
        c(jobs, C_SLEEPING, "block " + producers + ' ' + batch, 1, "");
        return jobs.group(THROUGHPUT + ", " + cell);
    }

    /** At the lowest rate only those that the first scenario compares: a few posts say little about the rest. */
    private Group rate(int rate) {
        String cell = cell(rate);
        boolean isLow = rate < RATES.get(1);
        double longer = isLow ? 2 : 1.5;
        List<String> contenders = new ArrayList<>(Contenders.names(1));
        contenders.add(Contenders.NO_POST);
        contenders.removeIf(contender -> isLow && !PoolContender.kinds().contains(contender)
                && !contender.equals(Contenders.LOCK_CONDITION));
        Jobs jobs = jobs(RATE, cell);
        for (String contender : contenders) {
            paced(jobs, contender, contender, 1.0 / rate, " catchesUp=true wait=spin" + times(longer));
        }
        if (isLow) {
            paced(jobs, LANES + PARKED, LANES, 1.0 / rate, " catchesUp=true wait=park" + times(longer));
        }
        String interval = nanos(1.0 / rate);
        c(jobs, C_POLLING, "spin 1 1", longer, interval + " 1");
        if (isLow) {
            c(jobs, C_SLEEPING, "block 1 1", longer, interval + " 1");
        }
        return jobs.group(RATE + ", " + cell);
    }

    private Group idle(String wait, String cell) {
        boolean parks = wait.equals("park");
        String rest = " catchesUp=false wait=" + wait + times(2);
        Jobs jobs = jobs(IDLE, cell);
        for (String contender : Contenders.names(1)) {
            paced(jobs, contender, contender, IDLE_INTERVAL, rest);
        }
        if (parks && CpuLatency.isPermitted()) {
            paced(jobs, LANES + AWAKE, LANES, IDLE_INTERVAL, rest + AWAKE_OPTION);
        }
        c(jobs, C_POLLING, (parks ? "block" : "spin") + " 1 1", 2, nanos(IDLE_INTERVAL) + " 0");
        return jobs.group(IDLE + ", " + cell);
    }

    private static void paced(Jobs jobs, String name, String contender, double interval, String rest) {
        jobs.rig(name, "paced contender=" + contender + " interval=" + interval + rest);
    }

    private Group bursts() {
        Jobs jobs = jobs(BURSTS, BURST_CELL);
        RigMain.idleKinds().forEach(kind -> bursts(jobs, kind, "", ""));
        if (CpuLatency.isPermitted()) {
            bursts(jobs, SPINNING, AWAKE, AWAKE_OPTION);
            bursts(jobs, LEARNED, AWAKE, AWAKE_OPTION);
        }
        if (CpuLatency.isPermitted() && mayHavePriority()) {
            bursts(jobs, LEARNED, REALTIME, AWAKE_OPTION + REALTIME_OPTION);
        }
        String inC = 3 * scale.seconds() + " " + nanos(BURST_INTERVAL) + ' ';
        return jobs.peer(Job.Program.BURSTS, C_SPINS, inC + 0)
                .peer(Job.Program.BURSTS, C_KNOWS, inC + BURST_SLEEP_NS).group(BURSTS);
    }

    private void bursts(Jobs jobs, String kind, String suffix, String options) {
        jobs.rig(kind + suffix, "bursts contender=" + LANES + " idle=" + kind + " interval="
                + BURST_INTERVAL + " warmup=" + BURST_WARMUP * scale.warmup() + " seconds=" + 3 * scale.seconds()
                + options);
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

    private Group runtime() {
        Jobs jobs = jobs(RUNTIME, "idle");
        for (String mode : List.of("DEDICATED", "SHARED")) {
            jobs.rig(mode, "runtime mode=" + mode + " warmup=" + scale.runtime() + " seconds=" + scale.runtime());
        }
        return jobs.group(RUNTIME);
    }

    private Group jmh() {
        String iteration = " seconds=" + scale.iteration();
        return jobs(TIMER, "clock").rig("java", "timer").of(POOL, "JMH").rig("ours", "jmh benchmark=pool" + iteration)
                .of(PASS, "JMH").rig("ours", "jmh benchmark=pass" + iteration).group("JMH");
    }

    private void c(Jobs jobs, String contender, String load, double longer, String pace) {
        jobs.peer(Job.Program.OPSQUEUE, contender, load + ' ' + longer * scale.seconds() + ' ' + pace);
    }

    private static String nanos(double seconds) {
        return Long.toString(Math.round(seconds * 1e9));
    }

    private String times(double longer) {
        return " warmup=" + scale.warmup() + " seconds=" + longer * scale.seconds();
    }
}
