/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.bootstrap.InitSimulation;
import io.proxyrt.bootstrap.InitSimulation.Accident;
import io.proxyrt.bootstrap.InitSimulation.Exchange;
import io.proxyrt.bootstrap.InitSimulation.Fault;
import io.proxyrt.bootstrap.InitSimulation.Plan;
import io.proxyrt.bootstrap.InitSimulation.Result;
import io.proxyrt.bootstrap.InitSimulation.Traffic;
import io.proxyrt.bootstrap.NetworkModel;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code proxyrt info init}: how a job of many ranks meets, on virtual time. */
@Command(name = "init", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Simulates how the many ranks of a job meet.",
            "The root and the ranks are those of real jobs; sockets, clock and threads are simulated, on a network "
            + "that loses nothing. Each rank joins, gathers what communicators do, tells its two neighbours in the "
            + "ring how to connect, and passes a barrier. 10,000 ranks take half a minute of CPU time, 100,000 some "
            + "minutes and 9 GB of heap (PROXYRT_JAVA_OPTS=-Xmx9g).", ""},
        footer = {"", "Examples:", "  proxyrt info init", "  proxyrt info init --ranks 1024,10000 --latency 100",
            "  proxyrt info init --ranks 5000 --fault stopped --rank 17 --after 1s",
            "", "Exit status: 0 if all ranks met, or failed with the same words after --fault; 1 if not, 2 wrong "
            + "usage."})
final class InfoInitCommand implements Callable<Integer> {
    private static final double MICRO = 1e3;
    private static final double MILLI = 1e6;
    private static final double GIGA = 1e9;

    @Spec
    private CommandSpec spec;

    @Option(names = "--ranks", paramLabel = "N", split = ",", defaultValue = "16,256,1024",
            description = "Numbers of ranks, comma-separated. Default: ${DEFAULT-VALUE}.")
    private List<Integer> ranks;

    @Option(names = "--ranks-per-host", paramLabel = "N", defaultValue = "8",
            description = "How many share a host and its adapter. Default: ${DEFAULT-VALUE}.")
    private int perHost;

    @Option(names = "--latency", paramLabel = "US", defaultValue = "50",
            description = "Microseconds from host to host, one way. Default: ${DEFAULT-VALUE}.")
    private double latency;

    @Option(names = "--bandwidth", paramLabel = "GB/S", defaultValue = "3",
            description = "Of a host's adapter, each way. Default: ${DEFAULT-VALUE}.")
    private double bandwidth;

    @Option(names = "--frame", paramLabel = "US", defaultValue = "5",
            description = "Microseconds of CPU time for each frame, sent or received. Default: ${DEFAULT-VALUE}.")
    private double frame;

    @Option(names = "--fault", paramLabel = "WHAT", completionCandidates = Names.Faults.class,
            description = "What happens to a rank: absent, killed or stopped. Default: nothing.")
    private String fault;

    @Option(names = "--rank", paramLabel = "N", defaultValue = "0",
            description = "To which rank. Default: ${DEFAULT-VALUE}.")
    private int faulty;

    @Option(names = "--after", paramLabel = "TIME", converter = TimeSpan.class, defaultValue = "100ms",
            description = "When that happens. Default: ${DEFAULT-VALUE}.")
    private Duration after;

    @Option(names = "--timeout", paramLabel = "TIME", converter = TimeSpan.class, defaultValue = "2m",
            description = "How long ranks wait for each other. Default: ${DEFAULT-VALUE}.")
    private Duration timeout;

    @Mixin
    private JsonOption json;

    /** For picocli. */
    InfoInitCommand() {
    }

    /** A number of ranks, and what has come of it. */
    private record Row(int ranks, Result result) {
    }

    /** The same for programs. */
    private record Document(List<Row> jobs) {
    }

    @Override
    public Integer call() {
        Optional<Destination> document = json.destination();
        List<Plan> plans = ranks.stream().map(n -> Misuse.checked(spec, () -> plan(n))).toList();
        boolean isShown = Destination.leavesStandardOutput(document);
        PrintWriter out = spec.commandLine().getOut();
        List<Row> rows = new ArrayList<>();
        if (isShown) {
            out.println("   ranks  joined ms  through ms  parted ms  most ms      root: frames     MB in    MB out"
                    + "   rank: frames     MB in    MB out  links");
        }
        for (Plan plan : plans) {
            rows.add(new Row(plan.nRanks(), InitSimulation.run(plan)));
            if (isShown) {
                print(out, rows.getLast());
            }
        }
        document.ifPresent(file -> file.write(Json.text(new Document(rows))));
        return rows.stream().map(Row::result).allMatch(this::isAsPlanned) ? 0 : 1;
    }

    private Plan plan(int nRanks) {
        NetworkModel defaults = NetworkModel.defaults();
        return new Plan(nRanks, perHost, new NetworkModel((long) (latency * MICRO), defaults.localLatencyNs(),
                (long) (bandwidth * GIGA), (long) (frame * MICRO)), Exchange.OF_COMMUNICATOR, timeout,
                fault == null ? Accident.NONE : new Accident(fault(), faulty, after));
    }

    private Fault fault() {
        return Arrays.stream(Fault.values()).filter(each -> each.name().equalsIgnoreCase(fault)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--fault is '" + fault + "': must be one of "
                        + String.join(", ", new Names.Faults())));
    }

    private boolean isAsPlanned(Result result) {
        return fault == null ? result.initNs() >= 0 && result.failures() == 0
                : result.failures() == result.alike();
    }

    private static void print(PrintWriter out, Row row) {
        Result result = row.result();
        Traffic root = result.root();
        Traffic mean = result.mean();
        List<Long> steps = result.stepNs();
        out.printf(Locale.ROOT, "%8d %10s %11s %10s %8s %17d %9.1f %9.1f %14d %9.1f %9.1f %6d%n", row.ranks(),
                millis(steps.isEmpty() ? -1 : steps.getFirst()), millis(result.initNs()), millis(result.closeNs()),
                millis(longest(steps)), root.messages(), root.bytesIn() / MILLI, root.bytesOut() / MILLI,
                mean.messages(), mean.bytesIn() / MILLI, mean.bytesOut() / MILLI, result.most().links());
        if (result.failures() > 0) {
            out.printf(Locale.ROOT, "         %d ranks failed, the last after %s ms; %d say: %s%n", result.failures(),
                    millis(result.failedNs()), result.alike(), result.failure());
        }
        out.flush();
    }

    /** Of the steps behind joining. */
    private static long longest(List<Long> steps) {
        long longest = -1;
        for (int i = 1; i < steps.size(); i++) {
            longest = Math.max(longest, steps.get(i) - steps.get(i - 1));
        }
        return longest;
    }

    private static String millis(long ns) {
        return ns < 0 ? "-" : String.format(Locale.ROOT, "%.1f", ns / MILLI);
    }
}
