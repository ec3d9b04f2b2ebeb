/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuListTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0 | 0",
        "0-3,8 | 0-3,8",
        "8,0-3 | 0-3,8",
        "1,1,0-2,2-4 | 0-4",
        "' 0 - 1 , 3 ' | 0-1,3",
        "5-5 | 5",
        "65535 | 65535",
        "007 | 7"})
    void shouldReadAndWriteLists(String text, String canonical) {
        assertEquals(canonical, CpuList.format(CpuList.parse(text)));
    }

    @Test
    void shouldReadABlankListAsEmpty() {
        assertTrue(CpuList.parse("  ").isEmpty());
        assertEquals("none", CpuList.format(new BitSet()));
    }

    @ParameterizedTest
    @ValueSource(strings = {",", "0,", "-1", "1-", "3-1", "0-1-2", "a", "0x3", "0;1", "0 1", "+1", "65536", "0-65536",
        "99999999999999999999", "٣"})
    void shouldRefuseWhatIsNoList(String text) {
        assertThrows(IllegalArgumentException.class, () -> CpuList.parse(text));
    }

    @Test
    void shouldSayWhichPartIsMalformed() {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> CpuList.parse("0-3,x8"));
        assertTrue(e.getMessage().startsWith("'x8' "), e.getMessage());
    }
}
