/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.dump;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A counters file that was named, which may be a copy.
 *
 * @param path  of the file
 * @param entry the runtime whose it is; empty for a copy, which has no folder whose name says whose it is
 */
public record CountersFile(Path path, Optional<RuntimeDirectory.Entry> entry) {
    /**
     * Finds one.
     *
     * @param file the counters of a runtime, or the folder that they are in
     * @return need not be there
     */
    public static CountersFile at(Path file) {
        Path counters = Files.isDirectory(file) ? file.resolve("counters") : file;
        return new CountersFile(counters, entry(counters));
    }

    private static Optional<RuntimeDirectory.Entry> entry(Path counters) {
        Path folder = counters.toAbsolutePath().getParent();
        try {
            return folder == null ? Optional.empty() : RuntimeDirectory.find(folder);
        } catch (ProxyException e) {
            return Optional.empty();
        }
    }
}
