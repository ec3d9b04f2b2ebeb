/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** NCCL's figures of the same boot: lines of label, call, bytes, iterations, µs, GB/s and wrong words. */
public final class NcclFigures {
    private static final Map<String, String> CALLS = Map.of("oneway", GpuPlan.ONE_WAY, "sendrecv", GpuPlan.BOTH_WAYS,
            "all_reduce", GpuPlan.ALL_REDUCE);
    private static final int FIELDS = 7;

    private NcclFigures() {
    }

    /**
     * Adds them to ours.
     *
     * @param file    that {@code gpu-check.sh} wrote
     * @param results that get them
     * @throws BenchException if there is no such file, or a line says that data were wrong, or nothing that is known
     */
    public static void add(Path file, Results results) {
        try {
            for (String line : Files.readAllLines(file)) {
                add(file, line, results);
            }
        } catch (IOException e) {
            throw new BenchException("cannot read NCCL's figures in " + file, e);
        }
    }

    private static void add(Path file, String line, Results results) {
        String[] fields = line.split(",");
        if (fields.length != FIELDS || !fields[6].equals("0")) {
            throw new BenchException(file + " has a line that is no figure of right data: " + line);
        }
        String call = CALLS.get(fields[1]);
        if (call == null) {
            return;
        }
        String contender = GpuPlan.NCCL + "-" + fields[0];
        try {
            results.add(new Sample(1, call, fields[2], contender, "us", Double.parseDouble(fields[4])));
            results.add(new Sample(1, call, fields[2], contender, "gbs", Double.parseDouble(fields[5])));
        } catch (NumberFormatException e) {
            throw new BenchException(file + " has a line without a figure: " + line, e);
        }
    }
}
