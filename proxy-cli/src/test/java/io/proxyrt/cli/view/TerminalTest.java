/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalTest {
    @ParameterizedTest
    @CsvSource({"/dev/pts/3,true", "/dev/tty,true", "/dev/ttyS0,true", "/dev/console,true", "pipe:[123],false",
        "/dev/null,false", "/home/user/dev/pts/3,false", "socket:[5],false"})
    void shouldKnowATerminalByItsName(String name, boolean isTerminal, @TempDir Path folder) throws IOException {
        Path descriptor = Files.createSymbolicLink(folder.resolve("1"), Path.of(name));
        assertEquals(isTerminal, Terminal.isTerminal(descriptor));
        // JUnit warns of links that lead out of the folder.
        Files.delete(descriptor);
    }

    @Test
    void shouldTakeWhatItCannotTellForNoTerminal(@TempDir Path folder) {
        assertFalse(Terminal.isTerminal(folder.resolve("absent")));
        assertFalse(Terminal.isTerminal(folder));
    }

    @Test
    void shouldLeaveColoursToTheUser() {
        assertTrue(Terminal.mayHaveColours(Map.of()));
        assertTrue(Terminal.mayHaveColours(Map.of("NO_COLOR", "", "TERM", "xterm")));
        assertFalse(Terminal.mayHaveColours(Map.of("NO_COLOR", "1")));
        assertFalse(Terminal.mayHaveColours(Map.of("TERM", "dumb")));
    }

    @Test
    void shouldAlignColouredCells() {
        Table table = new Table(5, 6);
        String row = table.row("a", List.of(new Palette(true).wrong("12"), new Palette(false).doubtful("3")));
        assertEquals("a        \u001b[31m12\u001b[0m     3", row);
    }

    @Test
    void shouldShowProgressAtOnceAndThenNowAndThen() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Progress progress = new Progress(new PrintStream(bytes, true, StandardCharsets.UTF_8))) {
            progress.show(() -> "first");
            progress.show(() -> "so soon after that, only a very slow machine shows it");
        }
        String text = bytes.toString(StandardCharsets.UTF_8);
        assertTrue(text.startsWith("\r\u001b[Kfirst") && text.endsWith("\r\u001b[K"), text);
    }

    @Test
    void shouldShowNoProgressWhereThereIsNoTerminal() {
        try (Progress progress = new Progress(null)) {
            progress.show(() -> "nothing");
        }
    }
}
