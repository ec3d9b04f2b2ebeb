/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code proxyrt help}: picocli's own does not go down to the commands of a command. */
@Command(name = "help", helpCommand = true, mixinStandardHelpOptions = true,
        versionProvider = ProxyRt.VersionProvider.class,
        description = "Shows the help of a command, such as proxyrt help perf.")
final class HelpCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "Which; none for all of them.")
    private List<String> words = List.of();

    /** For picocli. */
    HelpCommand() {
    }

    @Override
    public void run() {
        CommandLine command = spec.parent().commandLine();
        for (String word : words) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null) {
                throw new ParameterException(spec.commandLine(), Suggestion.noCommand(word, command));
            }
            command = next;
        }
        command.usage(command.getOut());
    }
}
