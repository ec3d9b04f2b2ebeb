/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * One thread counts ops as fetched, then as completed; a reader that sees the second sees the first. One file serves
 * all states, because the counters only grow. On x86, which keeps stores in order, and loads too, only a compiler could
 * break this; with plain accesses it was broken once in 9,000 looks.
 */
@JCStressTest
@State
@Outcome(id = {"0", "1"}, expect = Expect.ACCEPTABLE, desc = "in the order of the stores")
@Outcome(expect = Expect.FORBIDDEN, desc = "an op has completed that was not fetched")
public class CountersStress {
    private static final Counters COUNTERS = counters();

    @Actor
    public void writer() {
        COUNTERS.add(Counter.OPS_FETCHED, 1);
        COUNTERS.add(Counter.OPS_COMPLETED, 1);
    }

    @Actor
    public void reader(I_Result result) {
        long completed = COUNTERS.get(Counter.OPS_COMPLETED);
        long fetched = COUNTERS.get(Counter.OPS_FETCHED);
        result.r1 = Long.signum(fetched - completed);
    }

    private static Counters counters() {
        try {
            Path directory = Files.createTempDirectory("counters");
            Path file = directory.resolve("counters");
            Counters counters = Counters.create(file, "stress", 0, 1);
            Files.delete(file);
            Files.delete(directory);
            return counters;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
