/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.trace.ChromeTrace;
import io.proxyrt.cli.trace.JobTrace;
import io.proxyrt.cli.view.Destination;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code proxyrt trace}: what ranks did, for Perfetto and chrome://tracing. */
@Command(name = "trace", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Writes what ranks did last as a trace for Perfetto or chrome://tracing.",
            "It has a track for each rank, channel and direction, arrows from what sends to what receives, what "
            + "communicators were asked for, waits and errors. It reads black boxes, as proxyrt blackbox does: of "
            + "runtimes that run, are stopped or were killed, and of copies of their files.",
            "Ranks of a host have one clock. Those of several hosts, by copies of their files, are put on one by what "
            + "they sent each other; it says how far off that may be.", ""},
        footer = {"", "Examples:",
            "  proxyrt trace -o trace.json             all runtimes, for ui.perfetto.dev",
            "  proxyrt trace 4711 -o trace.json        those of a process",
            "  proxyrt trace ./a/r* ./b/r* -o all.json copies of two hosts' folders"})
final class TraceCommand implements Callable<Integer> {
    @Mixin
    private TracedRuntimes runtimes;

    @Mixin
    private OutputOption output;

    /** For picocli. */
    TraceCommand() {
    }

    @Override
    public Integer call() {
        Destination destination = output.destination();
        JobTrace trace = runtimes.read();
        output.write(destination, writer -> ChromeTrace.write(trace, writer), trace.lines());
        return 0;
    }
}
