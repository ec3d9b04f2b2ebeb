/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.cli.tuning.ChoiceView.Regret;
import io.proxyrt.cli.tuning.ChoiceView.Row;
import io.proxyrt.collectives.Algorithm;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChoiceReportTest {
    private static final Map<Algorithm, Map<Long, Double>> TIMES = Map.of(
            Algorithm.RING, Map.of(64L, 2.0, 4096L, 3.0, 65_536L, 10.0),
            Algorithm.TREE, Map.of(64L, 1.0, 4096L, 3.75, 65_536L, 12.0));

    private static String printed(Optional<Double> noise, List<Row> rows) {
        StringWriter text = new StringWriter();
        new ChoiceReport(new PrintWriter(text)).print(new ChoiceView("a machine, 2 CPUs", "reduce", 4, "SHM", 2, noise,
                Regret.of(rows), rows));
        return text.toString();
    }

    @Test
    void shouldCompareWhatIsChosenWithTheFastest() {
        List<Row> rows = List.of(Row.of(64, Algorithm.TREE, Optional.of(1.1), TIMES),
                Row.of(4096, Algorithm.TREE, Optional.empty(), TIMES),
                Row.of(65_536, Algorithm.RING, Optional.of(9.0), TIMES));
        assertEquals("""
                reduce                 4 ranks over SHM on a machine, 2 CPUs
                  channels             2
                  size (B)        algorithm predicted (us)  measured (us)        fastest     takes (us)     regret (%)
                  64                   tree           1.10           1.00           tree           1.00              0
                  4096                 tree              -           3.75           ring           3.00             25
                  65536                ring           9.00          10.00           ring          10.00              0
                  regret               0 % in the median, 25 % at worst, of 4096 bytes; rounds differ by 7 %
                """, printed(Optional.of(0.07), rows));
    }

    @Test
    void shouldKeepTheTimesOfAllAlgorithms() {
        assertEquals(Map.of("ring", 3.0, "tree", 3.75),
                Row.of(4096, Algorithm.TREE, Optional.empty(), TIMES).timesUs());
        assertEquals(Map.of(), Row.of(128, Algorithm.TREE, Optional.empty(), TIMES).timesUs());
    }

    @Test
    void shouldSayWhatIsChosenIfNothingWasMeasured() {
        List<Row> rows = List.of(Row.of(64, Algorithm.DOUBLING, Optional.of(0.5), Map.of()),
                Row.of(4096, Algorithm.RING, Optional.empty(), Map.of()));
        assertEquals(Optional.empty(), Regret.of(rows));
        assertEquals(List.of("  size (B)        algorithm predicted (us)",
                "  64               doubling           0.50",
                "  4096                 ring              -"),
                printed(Optional.empty(), rows).lines().skip(2).toList());
    }
}
