/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.perf.SoakPlan;
import io.proxyrt.cli.perf.SoakSession;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.transport.net.SocketOptions;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code proxyrt soak}: random operations with checked data, for as long as one likes. */
@Command(name = "soak", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Runs random collectives and checks all data, for as long as you like.",
            "Types, lengths, offsets, roots and peers are random, too, several run at a time, and every element is "
            + "checked at every rank, and the memory around. Ends at the first thing that is wrong, with all it takes "
            + "to have it again. Over sockets messages carry checksums, which name the hop that "
            + "changes one, unless net.socket.checksum is set to 0; --transport NET has ranks of one host use sockets. "
            + "Ranks come as for proxyrt perf.", ""},
        footer = {"", "Examples:",
            "  proxyrt soak",
            "  proxyrt soak --duration 8h --ranks 8 --max-bytes 64M",
            "  proxyrt soak --seed 42 --from 1234 --rounds 1",
            "  mpirun -np 4 proxyrt soak -D 1h --set net.socket.family=AF_INET6",
            "", "The longest round tells how long traffic stood still at most, such as while a network was down.",
            "Exit status: 0 all well, 1 wrong data, a failed rank or another error, 2 wrong usage."})
final class SoakCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = {"-D", "--duration"}, paramLabel = "TIME", defaultValue = "1m", converter = TimeSpan.class,
            description = "How long: a number with ms, s, m, h or d. Default: ${DEFAULT-VALUE}.")
    private Duration duration;

    @Option(names = "--rounds", paramLabel = "N", description = "End after N rounds, if that is sooner.")
    private Long rounds;

    @Option(names = "--seed", paramLabel = "N",
            description = "Of all that is random; the same seed makes the same rounds. Default: another each time.")
    private Long seed;

    @Option(names = "--from", paramLabel = "ROUND", defaultValue = "0",
            description = "Round to begin with. Default: ${DEFAULT-VALUE}.")
    private long firstRound;

    @Option(names = {"-e", "--max-bytes"}, paramLabel = "SIZE", defaultValue = "4M", converter = ByteSize.class,
            description = "Largest operation; K, M and G are powers of 1024. Default: ${DEFAULT-VALUE}.")
    private long maxBytes;

    @Option(names = "--interval", paramLabel = "TIME", defaultValue = "5s", converter = TimeSpan.class,
            description = "From one line of progress to the next. Default: ${DEFAULT-VALUE}.")
    private Duration interval;

    @Mixin
    private LaunchOptions launchOptions;

    @Mixin
    private RuntimeOptions runtimeOptions;

    @Option(names = "--json", paramLabel = "FILE",
            description = "Also write what came of it. With - as FILE that goes to the standard output, at the end, "
                    + "and the table to the standard error.")
    private Path json;

    /** For picocli. */
    SoakCommand() {
    }

    @Override
    public Integer call() {
        RankLaunch launch = launchOptions.launch();
        require("--rounds", rounds == null ? 1 : rounds, 1);
        require("--from", firstRound, 0);
        require("--max-bytes", maxBytes, 1);
        long anySeed = seed == null ? ThreadLocalRandom.current().nextLong(Integer.MAX_VALUE) : seed;
        SoakPlan plan = new SoakPlan(anySeed, firstRound, rounds == null ? Long.MAX_VALUE : rounds, duration,
                interval, maxBytes);
        runtimeOptions.prefer(SocketOptions.CHECKSUM.key(), "1");
        RankConfigs configs = runtimeOptions.configs(spec, launch);
        Optional<Destination> document = Misuse.destination(spec, "--json", json);
        PrintStream out = Destination.leavesStandardOutput(document) ? System.out : System.err;
        return launch.run(SoakSession.of(plan, configs, out, document, System.err), out);
    }

    private void require(String flag, long value, long least) {
        if (value < least || value > PlanOptions.MAX_BYTES) {
            throw new ParameterException(spec.commandLine(),
                    flag + " is " + value + ": must be within " + least + " to " + PlanOptions.MAX_BYTES);
        }
    }
}
