/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.contender.PoolContender;
import io.proxyrt.bench.jmh.OpsPoolBenchmark;
import io.proxyrt.bench.jmh.ProgressPassBenchmark;
import java.util.Collection;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** JMH's part: one thread, a JVM for each parameter, allocated bytes counted. */
final class JmhRig {
    private static final String ALLOCATED = "gc.alloc.rate.norm";
    private static final int WARMUPS = 5;
    private static final int MEASUREMENTS = 4;

    private JmhRig() {
    }

    static Measurements measure(RigArguments arguments) throws RunnerException {
        TimeValue time = TimeValue.nanoseconds(arguments.nanos("seconds"));
        return switch (arguments.text("benchmark")) {
            case "pool" -> pool(time);
            case "pass" -> pass(time);
            default -> throw new IllegalArgumentException("benchmark=pool or benchmark=pass");
        };
    }

    private static Measurements pool(TimeValue time) throws RunnerException {
        Measurements found = new Measurements();
        String[] kinds = PoolContender.kinds().toArray(String[]::new);
        for (RunResult result : run(options(OpsPoolBenchmark.class, time).param("kind", kinds))) {
            String batch = result.getParams().getParam("batch");
            String scenario = result.getParams().getParam("kind") + ", batch " + batch;
            found.add(scenario, "ns_per_op", score(result) / Integer.parseInt(batch));
            found.add(scenario, "bytes_per_op", allocated(result) / Integer.parseInt(batch));
        }
        return found;
    }

    private static Measurements pass(TimeValue time) throws RunnerException {
        Measurements found = new Measurements();
        for (RunResult result : run(options(ProgressPassBenchmark.class, time))) {
            String ops = result.getParams().getParam("ops");
            found.add(ops, "ns_per_pass", score(result));
            found.add(ops, "ns_per_op", score(result) / Integer.parseInt(ops));
            found.add(ops, "bytes_per_pass", allocated(result));
        }
        return found;
    }

    private static ChainedOptionsBuilder options(Class<?> benchmark, TimeValue time) {
        return new OptionsBuilder().include(benchmark.getName() + "\\..*").forks(1).verbosity(VerboseMode.SILENT)
                .warmupIterations(WARMUPS).warmupTime(time).measurementIterations(MEASUREMENTS).measurementTime(time)
                .addProfiler(GCProfiler.class).shouldFailOnError(true);
    }

    private static Collection<RunResult> run(ChainedOptionsBuilder options) throws RunnerException {
        return new Runner(options.build()).run();
    }

    private static double score(RunResult result) {
        return result.getPrimaryResult().getScore();
    }

    private static double allocated(RunResult result) {
        return result.getSecondaryResults().get(ALLOCATED).getScore();
    }
}
