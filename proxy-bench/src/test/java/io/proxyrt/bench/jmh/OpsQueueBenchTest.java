/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/** By JMH's own options, without a JVM for each run. A sink notices any op that is lost, doubled or out of order. */
class OpsQueueBenchTest {
    private static final List<String> BRIEFLY = List.of("OpsQueue", "-f", "0", "-wi", "0", "-i", "2", "-r", "20ms",
            "-foe", "true", "-v", "SILENT");

    @ParameterizedTest
    @ValueSource(strings = {"lanes", "mpsc", "locked", "abq"})
    void shouldFetchWhatOneToFourProducersPost(String contender) throws Exception {
        List<String> groups = new ArrayList<>();
        for (RunResult result : run("-p", "contender=" + contender, "-p", "batch=16")) {
            groups.add(result.getPrimaryResult().getLabel());
            assertTrue(result.getSecondaryResults().get("fetched").getScore() > 0, result::toString);
            assertEquals(2, result.getPrimaryResult().getSampleCount());
        }
        assertEquals(List.of("producers1", "producers2", "producers4"), groups);
    }

    @Test
    void shouldTakeAnotherNumberOfProducers() throws Exception {
        assertEquals(1, run("-p", "contender=lanes", "-p", "batch=1", "-tg", "1,3", "-e", "producers[12]").size());
    }

    private static Collection<RunResult> run(String... more) throws RunnerException, CommandLineOptionException {
        List<String> words = new ArrayList<>(BRIEFLY);
        words.addAll(List.of(more));
        return new Runner(new CommandLineOptions(words.toArray(String[]::new))).run();
    }
}
