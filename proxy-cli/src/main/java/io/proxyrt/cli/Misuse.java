/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.view.Destination;
import io.proxyrt.core.ProxyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What a user asks for and cannot be had. */
final class Misuse {
    private Misuse() {
    }

    /** Where a document goes, if there is a file for it; refuses one that could not be written. */
    static Optional<Destination> destination(CommandSpec spec, String flag, Path file) {
        if (file == null) {
            return Optional.empty();
        }
        Destination destination = new Destination(file, spec.commandLine().getOut());
        Path folder = file.toAbsolutePath().getParent();
        // A document takes the place of what is there: that must be no device, pipe or link, such as /dev/stdout.
        boolean isReplaceable = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                || !Files.exists(file, LinkOption.NOFOLLOW_LINKS);
        boolean isWritable = folder != null && isReplaceable && Files.isWritable(folder);
        if (!destination.isStandardOutput() && !isWritable) {
            throw new ParameterException(spec.commandLine(), flag + " is '" + file
                    + "': must be a file, no link or device, in a folder that can be written, or - for the standard "
                    + "output");
        }
        return Optional.of(destination);
    }

    /** As {@link #checked}, of what returns nothing. */
    static void check(CommandSpec spec, Runnable action) {
        checked(spec, () -> {
            action.run();
            return action;
        });
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
