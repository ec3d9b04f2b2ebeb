/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code proxyrt completion}: what a shell completes commands, options and their values with. */
@Command(name = "completion", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        description = {"Prints a script with which bash and zsh complete what you type.",
            "They complete commands, options and their values then.", ""},
        footer = {"", "Examples:",
            "  source <(proxyrt completion)",
            "  proxyrt completion > ~/.local/share/bash-completion/completions/proxyrt"})
final class CompletionCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    /** For picocli. */
    CompletionCommand() {
    }

    @Override
    public void run() {
        CommandLine root = spec.root().commandLine();
        PrintWriter out = spec.commandLine().getOut();
        out.print(AutoComplete.bash(root.getCommandName(), root));
        out.flush();
    }
}
