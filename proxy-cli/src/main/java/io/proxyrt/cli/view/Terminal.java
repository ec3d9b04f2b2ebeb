/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.view;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Whether people look at an output; the JVM's console tells that only of input and output together. */
public final class Terminal {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private Terminal() {
    }

    /**
     * Whether the standard output is a terminal.
     *
     * @return false also if the system does not tell
     */
    public static boolean isStandardOutput() {
        return isTerminal(DESCRIPTORS.resolve("1"));
    }

    /**
     * Whether the standard error is a terminal.
     *
     * @return false also if the system does not tell
     */
    public static boolean isStandardError() {
        return isTerminal(DESCRIPTORS.resolve("2"));
    }

    /**
     * Whether the user lets terminals have colours.
     *
     * @param environment of the process: NO_COLOR, unless it is empty, and a TERM that is dumb forbid them
     * @return whether neither does
     */
    public static boolean mayHaveColours(Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "").equals("dumb");
    }

    static boolean isTerminal(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().matches("/dev/(pts/\\d+|tty\\w*|console)");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
