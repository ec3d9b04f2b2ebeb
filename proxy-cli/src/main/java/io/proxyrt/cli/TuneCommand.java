/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.bootstrap.launch.RankEnvironment;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.perf.TunePlan;
import io.proxyrt.cli.perf.TuneReport;
import io.proxyrt.cli.perf.TuneSession;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.collectives.TuningProfile;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.SocketOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code proxyrt tune}: measures algorithms on this machine, for communicators to choose by. */
@Command(name = "tune", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Measures which algorithms are fastest here, for runtimes to choose by.",
            "It writes a profile, which runtimes read. Each number of ranks is measured over each transport, by "
            + "processes on this host, with kernels of the host: all-reduce, all-gather, reduce-scatter, broadcast and "
            + "reduce, 8 bytes to 16 MiB, by all algorithms that can carry them out. What the profile has of other "
            + "ranks and transports stays. Under a launcher, as mpirun, its ranks are measured, over one transport. "
            + "The machine should do nothing else.", ""},
        footer = {"", "Examples:",
            "  proxyrt tune",
            "  proxyrt tune --ranks 6 --transport SHM --seconds 20",
            "  proxyrt tune -o job.profile",
            "  PROXYRT_COLL_TUNING_PROFILE=job.profile proxyrt perf all_reduce",
            "  mpirun -np 16 proxyrt tune --transport NET",
            "", "Exit status: 0 all well, 1 a failed rank or another error, 2 wrong usage."})
final class TuneCommand implements Callable<Integer> {
    private static final int MAX_RANKS = 256;
    private static final int MAX_SECONDS = 86_400;

    @Spec
    private CommandSpec spec;

    @Option(names = "--ranks", paramLabel = "N", split = ",",
            description = "Numbers of ranks, comma-separated, 2 to 256 each. Default: 2,4,8.")
    private List<Integer> ranks;

    @Option(names = "--transport", paramLabel = "NAME", split = ",",
            description = "Transports, comma-separated: SHM and NET. Default: SHM,NET.")
    private List<String> transports;

    @Option(names = {"-o", "--output"}, paramLabel = "FILE",
            description = "The profile. Default: where runtimes look for it, proxyrt/tuning.profile in "
                + "XDG_CONFIG_HOME, else in ~/.config.")
    private Path output;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "60",
            description = "How long to measure, all in all; ranks take some time more to start. Default: "
                + "${DEFAULT-VALUE}.")
    private int seconds;

    @Mixin
    private SettingOptions settings;

    /** For picocli. */
    TuneCommand() {
    }

    @Override
    public Integer call() {
        Optional<RankEnvironment> launched = RankEnvironment.detect(System.getenv());
        List<String> names = transports();
        List<Integer> numbers = ranks(launched);
        require(launched.isEmpty() || names.size() == 1, "ranks of a launcher are measured over one transport: say "
                + "--transport SHM or --transport NET");
        require(seconds >= 1 && seconds <= MAX_SECONDS, "--seconds is " + seconds + ": must be within 1 to "
                + MAX_SECONDS);
        Path file = file();
        ProxyConfig config = Misuse.checked(spec, () -> config(launch(launched, numbers.getFirst(), List.of())));
        Duration each = Duration.ofSeconds(seconds).dividedBy((long) names.size() * numbers.size());
        if (!RankLaunch.isOfProxyrt(System.getenv()) && launched.map(RankEnvironment::rank).orElse(0) == 0) {
            System.out.println("# Measuring for " + seconds + " s on " + TuningProfile.thisMachine() + ", into "
                    + file);
            new TuneReport(System.out).title();
        }
        int status = 0;
        for (String transport : names) {
            TunePlan plan = new TunePlan(transport, each, file);
            RankConfigs configs = RankConfigs.same(config.with(CollectivesOptions.TRANSPORT, transport));
            for (int i = 0; i < numbers.size() && status == 0; i++) {
                status = launch(launched, numbers.get(i), arguments(numbers.get(i), plan))
                        .run(TuneSession.of(plan, configs, System.out, System.err), System.err);
            }
        }
        return status;
    }

    private static RankLaunch launch(Optional<RankEnvironment> launched, int number, List<String> arguments) {
        return new RankLaunch(launched, number, 1, false, false, null, arguments);
    }

    /** For the processes of ranks, each of which finds itself launched. */
    private List<String> arguments(int number, TunePlan plan) {
        List<String> arguments = new ArrayList<>(List.of("tune", "--ranks", Integer.toString(number), "--transport",
                plan.transport(), "--seconds", Long.toString(Math.max(1, plan.duration().toSeconds()))));
        if (output != null) {
            arguments.addAll(List.of("--output", output.toString()));
        }
        settings.settings().forEach(setting -> arguments.addAll(List.of("--set", setting)));
        return arguments;
    }

    /** As of {@code proxyrt perf}; what was measured before has no say. */
    private ProxyConfig config(RankLaunch launch) {
        ProxyConfig config = settings.builder().set(CollectivesOptions.TUNING_PROFILE, "none").build();
        if (launch.isOneHost() && !config.isSet(SocketOptions.IFNAME)) {
            config = config.with(SocketOptions.IFNAME, "=lo");
        }
        return config.isSet(CoreOptions.THREADING) ? config : config.with(CoreOptions.THREADING, ThreadingMode.AUTO);
    }

    private List<String> transports() {
        List<String> names = transports == null ? List.of("SHM", "NET")
                : transports.stream().map(name -> name.toUpperCase(Locale.ROOT)).distinct().toList();
        names.forEach(name -> require(name.equals("SHM") || name.equals("NET"), "--transport is '" + name
                + "': must be SHM or NET"));
        return names;
    }

    private List<Integer> ranks(Optional<RankEnvironment> launched) {
        List<Integer> numbers = ranks != null ? ranks.stream().distinct().toList()
                : launched.map(self -> List.of(self.nRanks())).orElse(List.of(2, 4, 8));
        numbers.forEach(number -> require(number >= 2 && number <= MAX_RANKS, "--ranks is " + number
                + ": must be within 2 to " + MAX_RANKS));
        launched.ifPresent(self -> require(numbers.equals(List.of(self.nRanks())), "--ranks is " + numbers + ", but "
                + self.launcher().label() + " started " + self.nRanks() + ": leave it out"));
        return numbers;
    }

    private Path file() {
        if (output == null) {
            return TuningProfile.defaultFile().orElseThrow(() -> new ParameterException(spec.commandLine(),
                    "XDG_CONFIG_HOME is no absolute path: say where to write the profile, with -o FILE"));
        }
        require(!output.toString().equals("-"), "-o is '-': must be a file");
        Misuse.destination(spec, "-o", output);
        return output;
    }

    private void require(boolean isRight, String otherwise) {
        if (!isRight) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
