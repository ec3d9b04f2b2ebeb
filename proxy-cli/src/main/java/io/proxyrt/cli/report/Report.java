/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.report;

import io.proxyrt.cli.trace.JobTrace;
import io.proxyrt.cli.why.WhyView;
import java.util.Optional;

/**
 * What a page shows.
 *
 * @param trace    what ranks did
 * @param why      who waits for whom now; empty of copies alone
 * @param counters over a time
 * @param perf     a document of {@code proxyrt perf --json}
 * @param topology an SVG document
 */
public record Report(JobTrace trace, Optional<WhyView> why, CounterSamples counters, Optional<PerfDocument> perf,
        Optional<String> topology) {
}
