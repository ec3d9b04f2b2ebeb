/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.stat.RuntimeView.Health;
import io.proxyrt.cli.stat.RuntimeView.Health.State;
import io.proxyrt.cli.stat.RuntimeView.Value;
import io.proxyrt.core.Direction;
import io.proxyrt.core.counters.ConnectionTraffic;
import io.proxyrt.core.counters.Counter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The dashboard for Grafana asks for nothing that stat does not print. */
class DashboardTest {
    private static final Path DASHBOARD = Path.of(System.getProperty("basedir", "."), "../docs/grafana.json");
    private static final Pattern METRIC = Pattern.compile("proxyrt_[a-z0-9_]+");

    @Test
    void shouldKnowEachMetric() throws IOException {
        Map<String, Value> counters = Arrays.stream(Counter.values())
                .collect(Collectors.toMap(Counter::label, counter -> new Value(counter.kind(), 1)));
        Set<String> printed = metrics(Prometheus.text(List.of(new RuntimeView(Path.of("/r/0"), "j", 0, 2, 1000,
                new Health(State.RUNNING, 50), 0, "", counters, List.of(), List.of(new ConnectionTraffic("NET", 1, 1,
                Direction.SEND, 3, 4096, 5, null))))));
        Set<String> asked = metrics(Files.readString(DASHBOARD));
        assertTrue(asked.size() > 10, asked::toString);
        assertEquals(Set.of(), asked.stream().filter(metric -> !printed.contains(metric)).collect(Collectors.toSet()));
    }

    private static Set<String> metrics(String text) {
        return METRIC.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
    }
}
