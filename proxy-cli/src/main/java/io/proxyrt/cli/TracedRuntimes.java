/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.stat.RuntimeChoice;
import io.proxyrt.cli.trace.JobTrace;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which runtimes are traced. */
final class TracedRuntimes extends WhichRuntimes {
    @Parameters(index = "0..*", paramLabel = "PID|JOB|FILE",
            description = "Processes; names of jobs as stat shows them; counters files or their folders, with a slash "
                    + "in their path. Default: all runtimes.")
    private List<String> wanted;

    @Option(names = "--no-align",
            description = "Leave clocks of different hosts as they are, by the time of day that they told.")
    private boolean isLeft;

    /** For picocli. */
    TracedRuntimes() {
    }

    JobTrace read() {
        return JobTrace.read(config(), wanted(), !isLeft);
    }

    /** Those of whole jobs that are there, and not copies. */
    List<RuntimeDirectory.Entry> here() {
        ProxyConfig config = config();
        List<String> names = wanted();
        return names.isEmpty() ? new RuntimeChoice(config, null).jobs()
                : names.stream().filter(name -> !name.contains("/"))
                        .flatMap(name -> new RuntimeChoice(config, name).jobs().stream()).distinct().toList();
    }

    private List<String> wanted() {
        return wanted == null ? List.of() : wanted;
    }
}
