/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.about.Host;
import io.proxyrt.core.Version;
import io.proxyrt.core.config.ProxyConfig;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Results, as far as there are any, and where they were got. Its components are the fields of the JSON document.
 *
 * @param status          running, ok, wrong data or failed
 * @param error           why it failed
 * @param environment     where
 * @param plan            what is measured, as soon as the ranks have met
 * @param collNet         whether the network carries out collectives, if that is asked for and the ranks have met
 * @param rows            of the table
 * @param outOfBounds     measurements that had something wrong
 * @param avgBusBandwidth mean of all measurements, GB/s
 */
record PerfView(String status, Optional<String> error, Environment environment, Optional<Plan> plan,
        Optional<String> collNet, List<Row> rows, Optional<Integer> outOfBounds, Optional<Double> avgBusBandwidth) {
    /** Where results were got: the program, the host, the JVM, and the options of the runtimes. */
    record Environment(String proxyrt, Instant started, String host, String os, String cpu, int cores, String java,
            String javaOptions, int ranks, List<String> devices, Map<String, String> options) {
        static Environment of(Instant started, int nRanks, List<String> devices, ProxyConfig config) {
            Map<String, String> options = new LinkedHashMap<>();
            config.settings().forEach(setting -> options.put(setting.option().key(), setting.value().toString()));
            return new Environment(Version.text(), started, Host.name(), Host.system(), Host.cpu(),
                    Runtime.getRuntime().availableProcessors(), System.getProperty("java.vm.name") + " "
                    + Runtime.version() + " (" + System.getProperty("java.vendor") + ")",
                    Objects.requireNonNullElse(System.getenv("PROXYRT_JAVA_OPTS"), ""), nRanks, devices, options);
        }
    }

    /** What {@link PerfPlan} says. */
    record Plan(String collective, long minBytes, long maxBytes, String step, int warmup, int iterations, int aggregate,
            int checks, int graphs, String average, long jitWarmupMs) {
        static Plan of(PerfPlan plan) {
            PerfPlan.Loops loops = plan.loops();
            return new Plan(plan.collective().label(), plan.sizes().minBytes(), plan.sizes().maxBytes(),
                    plan.sizes().stepText(), loops.warmup(), loops.iterations(), loops.aggregate(), loops.checks(),
                    loops.graphs(), plan.average().name().toLowerCase(Locale.ROOT), plan.jitWarmup().toMillis());
        }
    }

    /**
     * One size.
     *
     * @param size       in bytes
     * @param count      elements that the call is told
     * @param type       of the elements
     * @param redop      none where nothing is reduced
     * @param root       -1 where there is none
     * @param outOfPlace once it was measured
     * @param inPlace    likewise, after that
     */
    record Row(long size, long count, String type, String redop, int root, Optional<Measurement> outOfPlace,
            Optional<Measurement> inPlace) {
        static Row of(long size, long count, PerfPlan.Variant variant) {
            return new Row(size, count, variant.type().label(),
                    variant.op() == null ? "none" : variant.op().label(), variant.root(), Optional.empty(),
                    Optional.empty());
        }

        /** With its next measurement. */
        Row with(Measurement next) {
            return new Row(size, count, type, redop, root, outOfPlace.or(() -> Optional.of(next)),
                    outOfPlace.map(first -> next));
        }
    }

    /**
     * What was found for one size, in one of the two placements.
     *
     * @param timeUs of one operation
     * @param algBw  bytes per nanosecond of the algorithm, GB/s
     * @param busBw  the same as the hardware's share, GB/s
     * @param wrong  elements and guard words that were wrong; null if they were not checked
     */
    record Measurement(double timeUs, double algBw, double busBw, Long wrong) {
    }
}
