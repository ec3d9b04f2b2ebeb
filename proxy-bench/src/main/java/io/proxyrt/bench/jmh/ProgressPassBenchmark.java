/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A pass of the progress agent over ops that are active but wait for their kernels. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ProgressPassBenchmark {
    /** Active ops, each on a connection of its own. */
    @Param({"1", "4", "16", "64", "256", "1024", "4096"})
    public int ops;

    private WaitingOps runtime;

    /** For JMH. */
    public ProgressPassBenchmark() {
    }

    /** Makes the ops active. */
    @Setup
    public void open() {
        runtime = new WaitingOps(ops);
    }

    /**
     * One pass.
     *
     * @return how much moved: nothing
     */
    @Benchmark
    public int pass() {
        return runtime.pass();
    }

    /** Drops the ops. */
    @TearDown
    public void close() {
        runtime.close();
    }
}
