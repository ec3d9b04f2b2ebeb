/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.view.Destination;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The same for programs. */
final class JsonOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--json", paramLabel = "FILE",
            description = "Also write it for programs; with - as FILE, write that to the standard output instead.")
    private Path file;

    /** For picocli. */
    JsonOption() {
    }

    /** Where to, if it is asked for; a file that cannot be written is a {@link ParameterException}. */
    Optional<Destination> destination() {
        return Misuse.destination(spec, "--json", file);
    }
}
