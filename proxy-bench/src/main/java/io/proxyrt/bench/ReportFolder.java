/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.run.BenchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a report goes. */
final class ReportFolder {
    private ReportFolder() {
    }

    /**
     * Finds it, and makes it if it is missing.
     *
     * @param asked     what the user wants; null for none
     * @param isPartial whether the report must not take the place of a whole one
     * @param root      of the source tree
     */
    static Path of(Path asked, boolean isPartial, Path root) {
        try {
            if (asked != null) {
                return Files.createDirectories(asked);
            }
            return isPartial ? Files.createTempDirectory("proxyrt-bench-")
                    : Files.createDirectories(root.resolve("docs/performance"));
        } catch (IOException e) {
            throw new BenchException("cannot make the folder for the report; give another with --out", e);
        }
    }
}
