/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.jmh;

import io.proxyrt.bench.contender.OpSink;
import io.proxyrt.bench.contender.OpTemplate;
import io.proxyrt.bench.contender.OpsContender;
import io.proxyrt.bench.contender.PoolContender;
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

/** The whole way of some ops through a pool, by one thread: append, post, fetch, complete. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OpsPoolBenchmark {
    /** Which pool. */
    @Param("lanes")
    public String kind;
    /** Ops posted together. */
    @Param({"1", "16"})
    public int batch;

    private final OpTemplate template = new OpTemplate(0);
    private final OpSink sink = new OpSink(1, null);
    private OpsContender pool;
    private OpsContender.Poster poster;

    /** For JMH. */
    public OpsPoolBenchmark() {
    }

    /** Makes the pool. */
    @Setup
    public void open() {
        pool = new PoolContender(kind, 1);
        poster = pool.poster(0);
    }

    /**
     * Posts and fetches a batch.
     *
     * @return ops fetched
     */
    @Benchmark
    public int postAndFetch() {
        poster.post(template, batch);
        return pool.poll(sink);
    }

    /**
     * Gives the pool back.
     *
     * @throws Exception if that fails
     */
    @TearDown
    public void close() throws Exception {
        poster.close();
        pool.close();
    }
}
