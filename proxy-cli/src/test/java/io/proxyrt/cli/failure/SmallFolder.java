/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A folder in memory that is soon full. */
final class SmallFolder implements AutoCloseable {
    private final Path path;

    /** Passes the test over where this process may not mount. */
    SmallFolder(Path path) throws IOException {
        this.path = path;
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", path.toString()), "takes the right to mount");
    }

    @Override
    public void close() throws IOException {
        run("umount", path.toString());
    }

    private static boolean run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        try {
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
