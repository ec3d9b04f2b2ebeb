/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.run.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** NCCL's figures of the same boot: lines of label, call, bytes, iterations, µs, GB/s and wrong words. */
public final class NcclFigures {
    private static final Map<String, String> CALLS = Map.of("oneway", GpuBench.ONE_WAY, "sendrecv", GpuBench.BOTH_WAYS,
            "all_reduce", GpuBench.ALL_REDUCE);
    private static final int FIELDS = 7;

    private NcclFigures() {
    }

    /**
     * Reads them.
     *
     * @param file that {@code gpu-check.sh} wrote
     * @return as if measured in the first round; calls that ours have none like are left out
     * @throws BenchException if there is no such file, or a line says that data were wrong, or nothing that is known
     */
    public static List<Sample> read(Path file) {
        try {
            return Files.readAllLines(file).stream().flatMap(line -> samples(file, line)).toList();
        } catch (IOException e) {
            throw new BenchException("cannot read NCCL's figures in " + file, e);
        }
    }

    private static Stream<Sample> samples(Path file, String line) {
        String[] fields = line.split(",");
        if (fields.length != FIELDS || !fields[6].equals("0")) {
            throw new BenchException(file + " has a line that is no figure of right data: " + line);
        }
        String call = CALLS.get(fields[1]);
        if (call == null) {
            return Stream.empty();
        }
        String contender = GpuBench.NCCL + "-" + fields[0];
        try {
            return Stream.of(new Sample(1, call, fields[2], contender, "us", Double.parseDouble(fields[4])),
                    new Sample(1, call, fields[2], contender, "gbs", Double.parseDouble(fields[5])));
        } catch (NumberFormatException e) {
            throw new BenchException(file + " has a line without a figure: " + line, e);
        }
    }
}
