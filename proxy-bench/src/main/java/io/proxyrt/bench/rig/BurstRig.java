/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.contender.Contenders;
import io.proxyrt.bench.contender.OpSink;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.agent.thread.ThreadSetup;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Bursts some time apart: how long their ops take to a consumer that idles in some way, and how much CPU it uses. */
final class BurstRig {
    private static final int BURST = 8;
    /** A sixth of a run does not count: both threads start on one CPU, and stay there until the system's next look. */
    private static final int RUN_IN = 6;

    private final RigArguments arguments;
    private final IdleKind kind;
    private final ProxyConfig config;
    private final ThreadSetup setup;

    BurstRig(RigArguments arguments) {
        this.arguments = arguments;
        this.kind = IdleKind.of(arguments.text("idle"));
        this.config = kind.config(arguments.options());
        this.setup = ThreadSetup.of(Platform.find(), config, 0);
    }

    Measurements measure() {
        return WarmUp.measure(arguments, this::run);
    }

    /** Returns the median time from post until consumed. */
    private double run(long durationNs, Measurements found) {
        Histogram latency = Measurements.histogram();
        PacedProducer producer = new PacedProducer(arguments.nanos("interval"), BURST, false);
        IdleConsumer consumer = new IdleConsumer(kind.strategy(config), setup, latency,
                durationNs / RUN_IN);
        OpsRun run = new OpsRun(Contenders.make(arguments.text("contender"), 1, true), new OpSink(1, latency),
                List.of(producer), consumer::consume);
        run.run(durationNs);
        found.add("consumed", latency);
        found.add("service", producer.service());
        found.add("cpu_pct", 100.0 * consumer.cpuNs / consumer.wallNs);
        return latency.getValueAtPercentile(50);
    }

    private static final class IdleConsumer {
        private final IdleStrategy idle;
        private final ThreadSetup setup;
        private final Histogram latency;
        private final long runInNs;
        private long cpuNs;
        private long wallNs;

        IdleConsumer(IdleStrategy idle, ThreadSetup setup, Histogram latency, long runInNs) {
            this.idle = idle;
            this.setup = setup;
            this.latency = latency;
            this.runInNs = runInNs;
        }

        void consume(OpsRun run) {
            Agent agent = new PollAgent(run);
            setup.apply(agent.name(), ThreadSetup.Duty.PROGRESS);
            long start = System.nanoTime();
            while (!run.isOver() && System.nanoTime() - start < runInNs) {
                pass(run, agent, 1_000);
            }
            latency.reset();
            long wallStart = System.nanoTime();
            long cpuStart = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            while (!run.isOver()) {
                pass(run, agent, 100_000);
            }
            cpuNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpuStart;
            wallNs = System.nanoTime() - wallStart;
        }

        /** A loop that returns is compiled once, one that lasts for a whole run anew in each. */
        private void pass(OpsRun run, Agent agent, int times) {
            for (int i = 0; i < times && !run.isOver(); i++) {
                idle.idle(agent.doWork(), agent);
            }
        }
    }

    private record PollAgent(OpsRun run) implements Agent {
        @Override
        public String name() {
            return "consumer";
        }

        @Override
        public int doWork() {
            return run.contender().poll(run.sink());
        }

        @Override
        public boolean isWoken() {
            return true;
        }

        @Override
        public void park(long maxNs) {
            run.contender().await(maxNs);
        }
    }
}
