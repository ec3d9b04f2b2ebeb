/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class MeasurementsBenchTest {
    @Test
    void shouldPrintPercentilesOfKnownValues() {
        Histogram histogram = Measurements.histogram();
        for (int i = 1; i <= 1000; i++) {
            histogram.recordValue(i);
        }
        Measurements found = new Measurements();
        found.add("post", histogram);
        List<String> lines = printed(found);
        assertTrue(lines.contains("R\tpost_p50\t500.000"), lines::toString);
        assertTrue(lines.contains("R\tpost_p99\t990.000"), lines::toString);
        assertTrue(lines.contains("R\tpost_p99.9\t999.000"), lines::toString);
        assertTrue(lines.contains("R\tpost_max\t1000.00"), lines::toString);
        assertTrue(lines.contains("R\tpost_mean\t500.500"), lines::toString);
    }

    @Test
    void shouldCountTheTimeThatALatePostWaited() {
        Measurements found = OpsRig.paced(new RigArguments(List.of("contender=lanes", "interval=0.00001", "seconds=0.1",
                "warmup=0.05", "wait=yield", "catchesUp=true")));
        List<String> lines = printed(found);
        assertTrue(value(lines, "response_max") >= value(lines, "service_p50"), lines::toString);
        assertEquals(value(lines, "response_count"), value(lines, "consumed_count"));
    }

    private static double value(List<String> lines, String metric) {
        return lines.stream().map(line -> line.split("\t")).filter(words -> words[1].equals(metric))
                .mapToDouble(words -> Double.parseDouble(words[2])).findFirst().orElseThrow();
    }

    private static List<String> printed(Measurements found) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        found.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
