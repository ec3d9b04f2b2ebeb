/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.view.Destination;
import io.proxyrt.core.platform.OwnFile;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where the one document goes that a command writes. */
final class OutputOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = {"-o", "--output"}, paramLabel = "FILE", required = true,
            description = "Where to; - for the standard output.")
    private Path file;

    /** For picocli. */
    OutputOption() {
    }

    /** A file that cannot be written is a {@link ParameterException}. */
    Destination destination() {
        return Misuse.destination(spec, "-o", file).orElseThrow();
    }

    /** Says something of it too, if the standard output is not where it goes. */
    void write(Destination destination, OwnFile.Text document, List<String> lines) {
        destination.write(document);
        if (!destination.isStandardOutput()) {
            lines.forEach(spec.commandLine().getOut()::println);
        }
    }
}
