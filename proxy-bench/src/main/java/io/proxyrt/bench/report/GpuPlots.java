/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.GpuPlan;
import io.proxyrt.bench.run.Results;
import java.util.Map;

/** The plots of the report on GPUs. */
final class GpuPlots extends SizePlots {
    private static final Map<String, String> TITLES = Map.of(GpuPlan.ONE_WAY, "Messages one way", GpuPlan.BOTH_WAYS,
            "Messages both ways, of one direction", GpuPlan.ALL_REDUCE, "All-reduce of two ranks");

    GpuPlots(Results results) {
        super(results);
    }

    static String file(String call) {
        return "gpu-" + call.replace('_', '-') + ".svg";
    }

    /** Files by name; plots without data are left out. */
    Map<String, String> draw() {
        GpuPlan.CALLS.forEach(call -> draw(file(call), TITLES.get(call), "GB/s, more is better", call, "gbs", 1));
        return plots();
    }
}
