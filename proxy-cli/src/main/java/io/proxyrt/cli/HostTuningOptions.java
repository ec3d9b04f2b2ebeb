/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.bootstrap.launch.RankEnvironment;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.perf.ChoicePlan;
import io.proxyrt.cli.perf.ChoiceSession;
import io.proxyrt.cli.tuning.ChoiceReport;
import io.proxyrt.cli.tuning.ChoiceView;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.SocketOptions;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** What {@code proxyrt info tuning} has for kernels of the host, whose ranks it starts and asks. */
final class HostTuningOptions {
    private static final int MAX_RANKS = 256;
    private static final int MAX_SECONDS = 86_400;

    @Option(names = "--transport", paramLabel = "NAME", description = "On the host: SHM or NET. Default: SHM.")
    private String transport;

    @Option(names = "--measure", description = "On the host: also measure what is chosen, beside all that could be.")
    private boolean isMeasuring;

    @Option(names = "--seconds", paramLabel = "N", description = "How long to measure. Default: 10.")
    private Integer seconds;

    /** For picocli. */
    HostTuningOptions() {
    }

    /** Refuses what is for the host. */
    void requireUnused() {
        require(transport == null && !isMeasuring && seconds == null, "--transport, --measure and --seconds are for "
                + "kernels of the host: leave --arch out");
    }

    /** Refuses what is for GPUs. */
    void requireOnlyOf(CommandSpec spec, Set<String> flags) {
        for (ArgSpec argument : spec.commandLine().getParseResult().matchedArgs()) {
            String flag = argument instanceof OptionSpec option ? option.shortestName() : argument.paramLabel();
            if (!flags.contains(flag) && !Set.of("--transport", "--measure", "--seconds").contains(flag)) {
                throw new IllegalArgumentException(flag + " is for GPUs: say which by --arch, or leave it out");
            }
        }
    }

    /** Asks ranks, and prints what they say; each process that a launcher has started does so. */
    int run(CommandSpec spec, CollFunction function, int ranks, List<Long> sizes, SettingOptions settings,
            JsonOption json) {
        Optional<RankEnvironment> launched = RankEnvironment.detect(System.getenv());
        ChoicePlan plan = Misuse.checked(spec, () -> plan(function, ranks, sizes));
        ProxyConfig config = Misuse.checked(spec, () -> config(settings));
        Optional<Destination> document = json.destination();
        RankLaunch launch = new RankLaunch(launched, ranks, 1, !isMeasuring, false, null,
                spec.root().commandLine().getParseResult().originalArgs());
        return launch.run(ChoiceSession.of(plan, RankConfigs.same(config), ranks, view -> print(view, document),
                System.err), System.err);
    }

    private static void print(ChoiceView view, Optional<Destination> document) {
        if (Destination.leavesStandardOutput(document)) {
            new ChoiceReport(new PrintWriter(System.out, true, StandardCharsets.UTF_8)).print(view);
        }
        document.ifPresent(file -> file.write(Json.text(view)));
    }

    private ChoicePlan plan(CollFunction function, int ranks, List<Long> sizes) {
        String name = transport == null ? "SHM" : transport.toUpperCase(Locale.ROOT);
        require(name.equals("SHM") || name.equals("NET"), "--transport is '" + transport + "': must be SHM or NET");
        require(ranks >= 2 && ranks <= MAX_RANKS, "--ranks is " + ranks + ": must be within 2 to " + MAX_RANKS);
        require(isMeasuring || seconds == null, "--seconds is for --measure");
        int duration = seconds == null ? 10 : seconds;
        require(duration >= 1 && duration <= MAX_SECONDS, "--seconds is " + duration + ": must be within 1 to "
                + MAX_SECONDS);
        require(!isMeasuring || sizes.stream().allMatch(bytes -> bytes % Float.BYTES == 0), "-b is " + sizes.getFirst()
                + ": what is measured are floats, so it must be a multiple of " + Float.BYTES);
        return new ChoicePlan(function, sizes, name, isMeasuring ? Optional.of(Duration.ofSeconds(duration))
                : Optional.empty());
    }

    private ProxyConfig config(SettingOptions settings) {
        ProxyConfig config = settings.builder().set(CollectivesOptions.TRANSPORT, transport == null ? "SHM"
                : transport.toUpperCase(Locale.ROOT)).build();
        if (!config.isSet(SocketOptions.IFNAME)) {
            config = config.with(SocketOptions.IFNAME, "=lo");
        }
        return config.isSet(CoreOptions.THREADING) ? config : config.with(CoreOptions.THREADING, ThreadingMode.AUTO);
    }

    private static void require(boolean isRight, String otherwise) {
        if (!isRight) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
