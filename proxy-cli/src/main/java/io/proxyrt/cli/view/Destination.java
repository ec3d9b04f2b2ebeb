/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.view;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.OwnFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/** Where a document for programs goes: to a file, or to the standard output if that is called {@code -}. */
public final class Destination {
    private static final Path STANDARD_OUTPUT = Path.of("-");

    private final Path file;
    private final PrintWriter out;

    /**
     * Describes the place; nothing is written yet.
     *
     * @param file made anew each time, or {@code -}
     * @param out  the standard output
     */
    public Destination(Path file, PrintWriter out) {
        this.file = file;
        this.out = out;
    }

    /**
     * Whether documents go to the standard output, so that nothing else may.
     *
     * @return false if there is a file
     */
    public boolean isStandardOutput() {
        return file.equals(STANDARD_OUTPUT);
    }

    /**
     * Whether what is for people may go to the standard output.
     *
     * @param destination of a document, if there is one
     * @return false if the document goes there
     */
    public static boolean leavesStandardOutput(Optional<Destination> destination) {
        return destination.filter(Destination::isStandardOutput).isEmpty();
    }

    /**
     * Writes what there is so far of a document; not on the standard output, which gets it once, when it is whole.
     *
     * @param document without the end of its last line
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the file cannot be written
     */
    public void update(Supplier<String> document) {
        if (!isStandardOutput()) {
            write(document.get());
        }
    }

    /**
     * Writes a document. A reader of the file sees this one or the one before, whole.
     *
     * @param document without the end of its last line
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be written
     */
    public void write(String document) {
        write(writer -> writer.write(document));
    }

    /**
     * As {@link #write(String)}, of a document that need not be in memory at once.
     *
     * @param document writes it, without the end of its last line
     * @throws ProxyException as there
     */
    public void write(OwnFile.Text document) {
        OwnFile.Text line = writer -> {
            document.writeTo(writer);
            writer.write('\n');
        };
        if (!isStandardOutput()) {
            OwnFile.write(file, line);
            return;
        }
        try {
            line.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (out.checkError()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot write to the standard output: it was closed");
        }
    }
}
