/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.stat.StatStyle;
import io.proxyrt.cli.stat.Watch;
import io.proxyrt.cli.view.Palette;
import io.proxyrt.cli.view.Terminal;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code proxyrt stat}: what runtimes count, from outside. */
@Command(name = "stat", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Shows the counters of all runtimes of this user on this host.",
            "They need not help: those that hang are shown, and those that were killed, until their files are removed. "
            + "On a terminal what is wrong is red, unless NO_COLOR is set.", ""},
        footer = {"", "Examples:",
            "  proxyrt stat                       once",
            "  proxyrt stat -w                    every second, with rates, until interrupted",
            "  proxyrt stat --memory              and which connection has how many bytes",
            "  proxyrt stat -w --connections      and what each connection carries",
            "  proxyrt stat --prometheus > /var/lib/node_exporter/proxyrt.prom",
            "  proxyrt stat -w --interval 250 -n 20 > rates.txt",
            "  proxyrt stat --json - | jq '.runtimes[].counters'"})
final class StatCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = {"-w", "--watch"},
            description = "Again and again; what only grows is shown per second, and what has been 0 at all ranks not "
                    + "at all.")
    private boolean isWatching;

    @Option(names = "--interval", paramLabel = "MS", defaultValue = "1000",
            description = "Milliseconds from one time to the next. Default: ${DEFAULT-VALUE}.")
    private int intervalMs;

    @Option(names = {"-n", "--count"}, paramLabel = "N", defaultValue = "0",
            description = "End after N times; 0: never.")
    private int count;

    @Option(names = {"-a", "--all"}, description = "With -w, also counters that have been 0 at all ranks.")
    private boolean isAll;

    @Option(names = {"-m", "--memory"}, description = "Also the memory of each connection, by what it is for. "
            + "Connection 0 is of slots that several share.")
    private boolean withMemory;

    @Option(names = {"-c", "--connections"}, description = "Also what each connection has carried, with rates from the "
            + "second time on.")
    private boolean withTraffic;

    @Option(names = "--prometheus", description = "Once, in the text format of Prometheus: all counters, and what each "
            + "connection has carried, by job, rank and process.")
    private boolean isForPrometheus;

    @Mixin
    private ChosenRuntimes runtimes;

    @Mixin
    private JsonOption json;

    /** For picocli. */
    StatCommand() {
    }

    @Override
    public Integer call() {
        if (intervalMs < 10 || count < 0) {
            throw new ParameterException(spec.commandLine(), intervalMs < 10
                    ? "--interval is " + intervalMs + ": must be at least 10 ms"
                    : "--count is " + count + ": must be at least 0");
        }
        if (isForPrometheus && (isWatching || json.destination().isPresent())) {
            throw new ParameterException(spec.commandLine(), "--prometheus is one look, in a format of its own: leave "
                    + "out --watch and --json");
        }
        boolean isTerminal = Terminal.isStandardOutput();
        StatStyle style = new StatStyle(isAll || !isWatching, withMemory, withTraffic, isTerminal,
                new Palette(isTerminal && Terminal.mayHaveColours(System.getenv())));
        Watch watch = new Watch(runtimes.choice(), spec.commandLine().getOut(), style,
                json.destination());
        if (isForPrometheus) {
            watch.prometheus();
        } else if (isWatching) {
            watch.repeat(Duration.ofMillis(intervalMs), count);
        } else {
            watch.once();
        }
        return 0;
    }
}
