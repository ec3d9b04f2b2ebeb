/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.view.Json;
import io.proxyrt.core.CollFunction;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.model.CostModel;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TuningReportTest {
    private static TuningView view(String architecture, CollFunction function, int ranks, int nodes, Long... sizes) {
        Machine machine = Machine.usual(architecture);
        TuningInput input = machine.input(function, ranks, nodes);
        return TuningView.of(CostModel.of(architecture), machine, input, TuningFilter.NONE, Optional.empty(),
                List.of(sizes));
    }

    private static String printed(TuningView view) {
        StringWriter text = new StringWriter();
        new TuningReport(new PrintWriter(text)).print(view);
        return text.toString();
    }

    /** By hand: 6.6 µs and 14 steps of 0.6; 8.4 µs, 14 steps of 3.4, and 2³⁰ bytes by 360 GB/s times 8/14. */
    @Test
    void shouldPrintWhatIsChosenForEachSize() {
        assertEquals("""
                all_reduce             8 ranks on 1 node of sm90
                  assumed              12 channels of 30 GB/s within a node and 30 between nodes, INTEL CPUs
                  buffers              ll 524288, ll128 4915200, simple 4194304 bytes of a connection
                  size (B)        algorithm       protocol       channels        threads predicted (us)   algbw (GB/s)
                  64                   ring             ll              1             96          15.00           0.00
                  1073741824           ring         simple             12            544        5275.58         203.53
                """, printed(view("sm90", CollFunction.ALL_REDUCE, 8, 1, 64L, 1L << 30)));
    }

    @Test
    void shouldSayAllToPrograms() {
        String text = Json.text(view("gfx942", CollFunction.ALL_GATHER, 16, 2, 4096L));
        for (String part : List.of("\"architecture\" : \"gfx942\"", "\"collective\" : \"all_gather\"", "\"nodes\" : 2",
                "\"LL128\" : 458752", "\"bytes\" : 4096", "\"protocol\" : \"ll\"", "\"predictedUs\" : ")) {
            assertTrue(text.contains(part), text);
        }
    }

    @Test
    void shouldAssumeSomethingOfEveryArchitecture() {
        CostModel.architectures().forEach(architecture ->
                assertEquals(1, view(architecture, CollFunction.REDUCE, 4, 2, 1024L).rows().size(), architecture));
    }
}
