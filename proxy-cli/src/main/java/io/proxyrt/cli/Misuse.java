/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.core.ProxyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What a user asks for and cannot be had. */
final class Misuse {
    private Misuse() {
    }

    /** Refuses a file that could not be written; null is none. */
    static void requireWritable(CommandSpec spec, String flag, Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || Files.isDirectory(file) || !Files.isWritable(folder)) {
            throw new ParameterException(spec.commandLine(),
                    flag + " is '" + file + "': must be a file in a folder that can be written");
        }
    }

    /** What the action returns; what it finds wrong is a {@link ParameterException}. */
    static <T> T checked(CommandSpec spec, Supplier<T> action) {
        try {
            return action.get();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        } catch (ProxyException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage().replace(" (from builder)", ""), e);
        }
    }
}
