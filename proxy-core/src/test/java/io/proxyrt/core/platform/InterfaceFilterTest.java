/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InterfaceFilterTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            eth           | eth0 eth1 eth10      | only eth*
            =eth1         | eth1                 | only eth1
            ib,lo         | lo ib0               | only ib*, lo*
            ' ib , lo '   | lo ib0               | only ib*, lo*
            ^ib,lo        | eth0 eth1 eth10      | all but ib*, lo*
            ^=eth1,lo     | eth0 eth10 ib0       | all but eth1, lo
            eth0:4711     | eth0                 | only eth0*
            ^,eth0,       | lo eth1 eth10 ib0    | all but eth0*
            wlan          | ''                   | only wlan*
            """)
    void shouldReadTheSyntaxOfNccl(String text, String accepted, String words) {
        InterfaceFilter filter = InterfaceFilter.parse(text);

        assertEquals(accepted, Stream.of("lo", "eth0", "eth1", "eth10", "ib0").filter(filter::accepts)
                .collect(Collectors.joining(" ")));
        assertEquals(words, filter.toString());
    }

    @Test
    void shouldAcceptAllWhenItNamesNone() {
        for (String text : new String[] {"", " ", "^", "=", "^=", ",", ":80"}) {
            InterfaceFilter filter = InterfaceFilter.parse(text);
            assertTrue(filter.isEmpty() && filter.accepts("eth0"), text);
            assertEquals("all", filter.toString());
        }
    }
}
