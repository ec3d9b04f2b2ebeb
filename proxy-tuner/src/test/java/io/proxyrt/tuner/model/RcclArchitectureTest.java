/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of AMD's GPUs, with a mistake. */
class RcclArchitectureTest {
    private static String table() throws IOException {
        try (InputStream in = RcclArchitecture.class.getResourceAsStream("architectures.table")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldReadAllArchitectures() throws IOException {
        assertEquals(RcclArchitecture.names(),
                RcclArchitecture.load(TableFile.parse("t", table())).keySet().stream().toList());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ll.gfx9042.allgather = 1     | t: nothing reads [ll.gfx9042.allgather]
            ll.gfx942.allgathers = 1     | t: nothing reads [ll.gfx942.allgathers]
            ll.gfx942.allgather = 1 2    | t: ll.gfx942.allgather has 2 numbers, where 1 are needed
            treell.gfx942.allreduce = 64 | t: treell.gfx942.allreduce has 1 numbers, where 2 are needed
            buffer.gfx942 = 1 2          | t: buffer.gfx942 has 2 numbers, where 3 are needed
            model.gfx906 = 1             | t: model.gfx906 is there twice
            """)
    void shouldSayWhatIsWrong(String row, String message) throws IOException {
        assertFails(message, table() + row);
    }

    @Test
    void shouldRefuseLl128OfWhatHasNoModel() throws IOException {
        assertFails("t: ll128 names gfx9, which has no model", table().replace("ll128 = ", "ll128 = gfx9 "));
    }

    private static void assertFails(String message, String text) {
        assertEquals(message, assertThrows(ProxyException.class, () ->
                RcclArchitecture.load(TableFile.parse("t", text))).getMessage());
    }
}
