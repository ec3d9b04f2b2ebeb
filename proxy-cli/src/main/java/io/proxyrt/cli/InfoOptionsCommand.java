/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.about.OptionsPage;
import io.proxyrt.core.config.ProxyConfig;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code proxyrt info options}: what every option is for, and when to touch it. */
@Command(name = "options", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        usageHelpWidth = 100,
        description = {"Prints the reference of all options, as Markdown.",
            "That is: names, defaults, values, which ranks need the same, what for, and when to touch them; then the "
            + "other names of the environment, NCCL's and RCCL's among them, and what becomes of those. "
            + "docs/configuration.md is its output.", ""},
        footer = {"", "Examples:", "  proxyrt info options | less -S",
            "  ./proxyrt info options > docs/configuration.md"})
final class InfoOptionsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    /** For picocli. */
    InfoOptionsCommand() {
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(OptionsPage.of(ProxyConfig.providers()));
        out.flush();
        return 0;
    }
}
