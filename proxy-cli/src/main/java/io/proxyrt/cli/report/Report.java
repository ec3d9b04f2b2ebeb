/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.report;

import io.proxyrt.cli.trace.JobTrace;
import io.proxyrt.cli.why.WhyView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a page shows.
 *
 * @param trace    what ranks did
 * @param why      who waits for whom now; empty of copies alone
 * @param counters over a time
 * @param perf     a document of {@code proxyrt perf --json}
 * @param machine  what the host is made of
 */
public record Report(JobTrace trace, Optional<WhyView> why, CounterSamples counters, Optional<PerfDocument> perf,
        Optional<Machine> machine) {
    /**
     * What a host is made of.
     *
     * @param svg      a picture of it
     * @param problems what is not known of it, a sentence each
     */
    public record Machine(String svg, List<String> problems) {
        /** Copies. */
        public Machine {
            problems = List.copyOf(problems);
        }
    }

    /**
     * What there is of it, how good it is, and what is missing.
     *
     * @return lines for people
     */
    public List<String> lines() {
        List<String> lines = new ArrayList<>(trace.lines());
        why.map(WhyView::problems).orElse(List.of()).stream().filter(problem -> !lines.contains(problem))
                .forEach(lines::add);
        machine.map(Machine::problems).orElse(List.of()).forEach(problem -> lines.add("topology: " + problem));
        return lines;
    }
}
