/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.dump.Dump;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code proxyrt dump}: what runtimes work on, and what that waits for. */
@Command(name = "dump", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Shows all active ops of this user's runtimes: who waits for what, since when.",
            "It reads their mapped files: they need not help, and are not stopped. Those that are stopped or were "
            + "killed are shown as they were then.", ""},
        footer = {"", "Examples:",
            "  proxyrt dump                       all runtimes",
            "  proxyrt dump 4711                  those of a process",
            "  proxyrt dump --json - | jq '.runtimes[].ops[] | {peer, waitsFor}'"})
final class DumpCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ChosenRuntimes runtimes;

    @Mixin
    private JsonOption json;

    /** For picocli. */
    DumpCommand() {
    }

    @Override
    public Integer call() {
        new Dump(runtimes.choice(), spec.commandLine().getOut(), json.destination()).print();
        return 0;
    }
}
