/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class InfoInitCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return ProxyRt.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err))
                .execute(Stream.concat(Stream.of("info", "init"), Stream.of(arguments)).toArray(String[]::new));
    }

    @Test
    void shouldHaveALineForEachNumberOfRanks() {
        assertEquals(0, run("--ranks", "2,3,40"), err::toString);
        List<String> lines = out.toString().lines().toList();
        assertEquals(4, lines.size(), out::toString);
        assertTrue(lines.getFirst().contains("joined ms"), out::toString);
        assertEquals(List.of("2", "3", "40"),
                lines.stream().skip(1).map(line -> line.strip().split(" +")[0]).toList());
    }

    @Test
    void shouldTakeLongerWhereTheNetworkDoes() {
        assertEquals(0, run("--ranks", "9", "--latency", "1000", "--json", "-"), err::toString);
        long slow = numbers().get("initNs");
        out.getBuffer().setLength(0);
        assertEquals(0, run("--ranks", "9", "--latency", "100", "--json", "-"), err::toString);
        long fast = numbers().get("initNs");
        // Nothing but ways between two hosts takes long here: of at least ten of those.
        assertTrue(slow - fast > 10 * 900_000, slow + " and " + fast + " ns");
    }

    @Test
    void shouldSayWhatRanksSayOfAFaultyOne() {
        assertEquals(0, run("--ranks", "20", "--fault", "absent", "--rank", "7", "--timeout", "3s"), err::toString);
        assertTrue(out.toString().contains("19 ranks failed, the last after 3"), out::toString);
        assertTrue(out.toString().contains("; 19 say: rank 7 of 20 did not join within 3 s"), out::toString);
    }

    private Map<String, Long> numbers() {
        Map<String, Long> numbers = new HashMap<>();
        try (JsonParser json = new JsonFactory().createParser(out.toString())) {
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.VALUE_NUMBER_INT && json.currentName() != null) {
                    numbers.put(json.currentName(), json.getLongValue());
                }
            }
        } catch (IOException e) {
            throw new AssertionError(out.toString(), e);
        }
        return numbers;
    }
}
