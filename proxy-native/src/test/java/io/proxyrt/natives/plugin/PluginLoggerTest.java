/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.NetLibrary;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;

/** What a plug-in logs with variable arguments is read as printf would print it. */
class PluginLoggerTest {
    @TempDir
    private static Path folder;
    private static NetLibrary library;

    @BeforeAll
    static void load() {
        library = NetLibraries.find().open(CheckingNet.compile(folder, 8).toString());
        library.init();
    }

    private static String logged(int number) {
        library.properties(number);
        return library.lastWarning();
    }

    @Test
    void shouldReadNumbersAndStrings() {
        assertEquals("plain, 100 percent", logged(0));
        assertEquals("-1 two 3298534883328", logged(1));
        assertEquals("18446744073709551615 -9223372036854775808 beef", logged(5));
        assertEquals("ü", logged(7));
    }

    @Test
    void shouldReadWhatLiesOnTheStack() {
        assertEquals("1 2 3 4 5 6 7 8 9 10 11 12", logged(2));
        assertEquals("12345678901234567890123456789012", logged(12));
    }

    @Test
    void shouldReadFloatingPointNumbers() {
        assertEquals("1.5 -2.25 3", logged(3));
        assertEquals("0 1.5 2.5 3.5 four 5.5 6.5 7.5 8.5 9.5 10.5 11.5 12", logged(4));
    }

    @Test
    void shouldReadWidthsAndPrecisionsThatAreArguments() {
        assertEquals("[   7] [abc] [ 99.5%]", logged(6));
    }

    @Test
    void shouldCutATextThatIsTooLong() {
        assertEquals("x".repeat(4095), logged(8));
    }

    @Test
    void shouldHearThePlugInsOwnThreads() {
        assertEquals("9 by a thread of the plug-in", logged(9));
    }

    @Test
    void shouldBearNullPointers() {
        assertEquals("1 without a file", logged(10));
        assertEquals("", logged(11));
    }

    @Test
    void shouldLeaveAFormatAsItIsWhereItsArgumentsCannotBeRead() {
        assertEquals("%d", VariableArguments.UNKNOWN.format("%d", 0, new long[0], new double[0], new long[0]));
        String many = "%d".repeat(65);
        VariableArguments here = VariableArguments.of(System.getProperty("os.arch"));
        assertTrue(here.isKnown());
        assertEquals(many, here.format(many, 0, new long[here.registers()], new double[8], new long[0]));
    }

    @Test
    void shouldLogAtTheLevelThatThePlugInMeans() {
        assertEquals(List.of(Level.INFO, Level.WARN, Level.INFO, Level.ERROR, Level.TRACE),
                List.of(PluginLevel.of(1), PluginLevel.of(2), PluginLevel.of(3), PluginLevel.of(4), PluginLevel.of(5)));
        assertNull(PluginLevel.of(0));
        assertNull(PluginLevel.of(6));
        assertNull(PluginLevel.of(-1));
    }
}
