/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({"0,0", "8,8", "1K,1024", "1k,1024", "16M,16777216", "2g,2147483648", "1.5M,1572864", "0.3K,307",
        "9223372036854775807,9223372036854775807", "8589934591G,9223372035781033984"})
    void shouldReadSizesAsNcclTestsDoes(String text, long bytes) {
        assertEquals(bytes, new ByteSize().convert(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "-1", "+1", "1T", "1KB", "K", "0x10", "1e3", ".5M", "1.", "1 M", "NaN",
        "8589934592G", "9223372036854775808", "99999999999999999999"})
    void shouldRefuseEverythingElseNamingIt(String text) {
        TypeConversionException e = assertThrows(TypeConversionException.class, () -> new ByteSize().convert(text));
        assertTrue(e.getMessage().startsWith("'" + text + "'"), e.getMessage());
    }
}
