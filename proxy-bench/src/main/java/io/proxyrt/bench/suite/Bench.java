/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Scale;
import java.util.List;
import java.util.Locale;

/** A benchmark: what is measured beside whom, and the goals, tables and plots of its page. The text is a resource. */
public abstract class Bench {
    /** The beginning of the names of the runtime's own contenders. */
    static final String OURS = "proxyrt";
    /** MPI over what is measured. */
    static final String MPI = "mpi";
    static final double NS_PER_US = 1000;

    private static final double PERF_WARMUP = 16;

    final Scale scale;
    final Peers peers;

    Bench(Scale scale, Peers peers) {
        this.scale = scale;
        this.peers = peers;
    }

    /**
     * What is measured.
     *
     * @return in the order of one round
     */
    public abstract List<Group> groups();

    /**
     * Adds what was measured.
     *
     * @param report of a run
     */
    public abstract void fill(Report report);

    /**
     * Those that say most, for a quick run.
     *
     * @return ours beside peers
     */
    public List<Comparison> comparisons() {
        return List.of();
    }

    /**
     * Libraries whose versions matter.
     *
     * @return those of the data path, unless it is another that is measured
     */
    public List<String> libraries() {
        return List.of("HdrHistogram", "JCTools", "Netty");
    }

    /** Jobs to be added. */
    final Jobs jobs(String experiment, String scenario) {
        return new Jobs(peers, experiment, scenario);
    }

    /** So many times as long as the scale says. */
    final String seconds(double times) {
        return time(times * scale.seconds());
    }

    /**
     * The words by which {@code proxyrt perf} measures a collective, from a least to a most size. As many calls as
     * peers make in their time, since a time slice of another program takes as long as a hundred.
     */
    final String perf(String collective, String transport, int ranks, int least, int most, int factor, int calls) {
        long warmupMs = (long) (PERF_WARMUP * scale.warmup() * 1000);
        return collective + " --transport " + transport + " --ranks " + ranks + " -b " + least + " -e " + most + " -f "
                + factor + " -n " + calls + " --jit-warmup " + warmupMs;
    }

    static String time(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds);
    }
}
