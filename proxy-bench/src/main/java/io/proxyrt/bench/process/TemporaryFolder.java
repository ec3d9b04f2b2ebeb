/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A folder that goes, with what is in it, when this is closed.
 *
 * @param path of it
 */
public record TemporaryFolder(Path path) implements AutoCloseable {
    /** Where the system has its temporary files. */
    public static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    /**
     * Makes one.
     *
     * @param parent in which it is
     * @param prefix of its name
     * @return empty
     * @throws BenchException if it cannot be made
     */
    public static TemporaryFolder in(Path parent, String prefix) {
        try {
            return new TemporaryFolder(Files.createTempDirectory(parent, prefix));
        } catch (IOException e) {
            throw new BenchException("cannot make a folder in " + parent, e);
        }
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new BenchException("cannot delete " + path, e);
        }
    }
}
