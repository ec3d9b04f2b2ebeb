/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DestinationTest {
    private final StringWriter text = new StringWriter();
    private final Destination standardOutput = new Destination(Path.of("-"), new PrintWriter(text));
    @TempDir
    private Path folder;

    @Test
    void shouldReplaceTheFileEachTime() throws IOException {
        Path file = folder.resolve("document");
        Destination destination = new Destination(file, new PrintWriter(text));
        destination.update(() -> "first, which is longer");
        destination.write("second");
        assertEquals("second\n", Files.readString(file));
        assertEquals("", text.toString());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(file), files.toList());
        }
    }

    @Test
    void shouldHaveAReaderFindADocumentAtAnyMoment() throws Exception {
        Path file = folder.resolve("document");
        Destination destination = new Destination(file, null);
        destination.write("document");
        AtomicBoolean isDone = new AtomicBoolean();
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 300; i++) {
                destination.write("document");
            }
            isDone.set(true);
        });
        while (!isDone.get() && writer.isAlive()) {
            assertEquals("document\n", Files.readString(file));
        }
        writer.join();
        assertTrue(isDone.get());
    }

    @Test
    void shouldReplaceNoFolderAndLeaveNothingBehind() throws IOException {
        Path file = Files.createDirectory(folder.resolve("document"));
        assertThrows(ProxyException.class, () -> new Destination(file, null).write("text"));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(file), files.toList());
        }
    }

    @Test
    void shouldKeepTheStandardOutputForWholeDocuments() {
        standardOutput.update(() -> "first");
        standardOutput.write("second");
        assertEquals("second\n", text.toString());
    }

    @Test
    void shouldTellWhetherTheStandardOutputIsFree() {
        assertTrue(Destination.leavesStandardOutput(Optional.empty()));
        assertTrue(Destination.leavesStandardOutput(Optional.of(new Destination(Path.of("./-"), null))));
        assertFalse(Destination.leavesStandardOutput(Optional.of(standardOutput)));
    }

    @Test
    void shouldNameTheFileThatCannotBeWritten() {
        Path file = folder.resolve("absent/document");
        String message = assertThrows(ProxyException.class, () -> new Destination(file, null).write("text"))
                .getMessage();
        assertEquals("cannot write " + file, message.substring(0, message.indexOf(": ")));
    }

    @Test
    void shouldSayThatNobodyReadsTheStandardOutput() {
        PrintWriter closed = new PrintWriter(text);
        closed.close();
        Destination destination = new Destination(Path.of("-"), closed);
        assertThrows(ProxyException.class, () -> destination.write("text"));
    }
}
