/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.core.counters.RuntimeHealth;
import io.proxyrt.core.diagnosis.HealthLook;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code proxyrt health}: for probes of containers. */
@Command(name = "health", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Says of each of this user's runtimes whether it does its work, by a line.",
            "It reads mapped files: runtimes need not help, and may be stopped or killed.", ""},
        footer = {"", "Exit status: 0 all are healthy, 1 one is not or there is none, 2 wrong usage.", "",
            "Examples:",
            "  proxyrt health                     all runtimes, as in a container of a job",
            "  proxyrt health 4711 --still 60     nor if an op has not moved for a minute"})
final class HealthCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--still", paramLabel = "SECONDS", defaultValue = "0",
            description = "A runtime is not healthy if an op or a kernel of it has not moved for longer, whichever "
                    + "rank is at fault. Default: it is, as it may wait for another rank.")
    private int stillSeconds;

    @Mixin
    private ChosenRuntimes runtimes;

    /** For picocli. */
    HealthCommand() {
    }

    @Override
    public Integer call() {
        if (stillSeconds < 0) {
            throw new ParameterException(spec.commandLine(), "--still is " + stillSeconds + ": must be at least 0");
        }
        List<RuntimeHealth> all = runtimes.choice().entries().stream()
                .map(entry -> HealthLook.at(entry, Duration.ofSeconds(stillSeconds))).toList();
        PrintWriter out = spec.commandLine().getOut();
        all.forEach(health -> out.print(health.toString() + '\n'));
        if (all.isEmpty()) {
            out.print("no running runtime found under " + RuntimeDirectory.place(runtimes.config()) + '\n');
        }
        out.flush();
        return !all.isEmpty() && all.stream().allMatch(RuntimeHealth::isHealthy) ? 0 : 1;
    }
}
