/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.why.Why;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code proxyrt why}: whom all ranks of a job wait for, and why. */
@Command(name = "why", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Says why a job stands still: which rank all wait for, and what it owes.",
            "Then who waits for whom. It looks twice at the mapped files of this user's runtimes on this host, a "
            + "quarter of a second apart: they need not help, and may be stopped or killed. If need be, one of "
            + "them asks other hosts.", ""},
        footer = {"", "Exit status: 0 nothing stands still, 1 something does or cannot be read, 2 wrong usage.", "",
            "Examples:",
            "  proxyrt why                        all jobs",
            "  proxyrt why 4711                   the job of a process",
            "  proxyrt why --json - | jq '.jobs[] | {reason, culprits}'"})
final class WhyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ChosenRuntimes runtimes;

    @Mixin
    private JsonOption json;

    /** For picocli. */
    WhyCommand() {
    }

    @Override
    public Integer call() {
        return new Why(runtimes.choice(), spec.commandLine().getOut(), json.destination()).print() ? 1 : 0;
    }
}
