/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.tuning;

import io.proxyrt.collectives.Algorithm;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What kernels of the host choose for each size, and what that takes.
 *
 * @param machine    CPUs
 * @param collective that is called
 * @param ranks      of the communicator
 * @param transport  between them
 * @param channels   that share the work of rings
 * @param noise      how much times differ from round to round, of a time; empty if none were measured
 * @param regret     of all sizes; empty if none were measured
 * @param rows       by size
 */
public record ChoiceView(String machine, String collective, int ranks, String transport, int channels,
        Optional<Double> noise, Optional<Regret> regret, List<Row> rows) {
    /**
     * A size.
     *
     * @param bytes       of a call, or of a rank's part
     * @param algorithm   that is chosen
     * @param predictedUs that the profile says; empty if it has nothing to say
     * @param measuredUs  of the algorithm that is chosen; empty if it was not measured
     * @param fastest     of those that can carry it out; empty if none was measured
     * @param fastestUs   that it took
     * @param regret      by how much the chosen one takes longer, of the time of the fastest
     * @param timesUs     of all that were measured, by their names
     */
    public record Row(long bytes, String algorithm, Optional<Double> predictedUs, Optional<Double> measuredUs,
            Optional<String> fastest, Optional<Double> fastestUs, Optional<Double> regret,
            Map<String, Double> timesUs) {
        /**
         * By times of this size.
         *
         * @param bytes       of a call
         * @param chosen      algorithm
         * @param predictedUs that the profile says
         * @param timesUs     that were measured, by algorithm and bytes
         * @return what is known of it
         */
        public static Row of(long bytes, Algorithm chosen, Optional<Double> predictedUs,
                Map<Algorithm, Map<Long, Double>> timesUs) {
            Map<String, Double> ofSize = new TreeMap<>();
            timesUs.forEach((algorithm, times) -> {
                if (times.containsKey(bytes)) {
                    ofSize.put(label(algorithm), times.get(bytes));
                }
            });
            Optional<Map.Entry<String, Double>> fastest = ofSize.entrySet().stream().min(Map.Entry.comparingByValue());
            Optional<Double> fastestUs = fastest.map(Map.Entry::getValue);
            Optional<Double> own = Optional.ofNullable(ofSize.get(label(chosen)));
            return new Row(bytes, label(chosen), predictedUs, own, fastest.map(Map.Entry::getKey), fastestUs,
                    own.flatMap(us -> fastestUs.map(least -> us / least - 1)), ofSize);
        }

        private static String label(Algorithm algorithm) {
            return algorithm.name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * By how much what is chosen takes longer than the fastest, of its time.
     *
     * @param median  of all sizes
     * @param worst   of all sizes
     * @param atBytes where it is worst
     */
    public record Regret(double median, double worst, long atBytes) {
        /**
         * Of rows.
         *
         * @param rows of all sizes
         * @return empty if nothing was measured
         */
        public static Optional<Regret> of(List<Row> rows) {
            List<Row> measured = rows.stream().filter(row -> row.regret.isPresent())
                    .sorted(Comparator.comparing(row -> row.regret.orElseThrow())).toList();
            if (measured.isEmpty()) {
                return Optional.empty();
            }
            Row worst = measured.getLast();
            return Optional.of(new Regret(measured.get((measured.size() - 1) / 2).regret.orElseThrow(),
                    worst.regret.orElseThrow(), worst.bytes));
        }
    }
}
