/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.report.CounterSamples;
import io.proxyrt.cli.report.PerfDocument;
import io.proxyrt.cli.report.Report;
import io.proxyrt.cli.report.ReportPage;
import io.proxyrt.cli.topology.TopologySvg;
import io.proxyrt.cli.trace.JobTrace;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.why.WhyView;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.topology.SystemDetection;
import io.proxyrt.topology.SystemXml;
import io.proxyrt.topology.TopologyGraph;
import io.proxyrt.topology.TopologyOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code proxyrt report}: a page about a job. */
@Command(name = "report", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Writes a page about a job, for a browser, that needs nothing else.",
            "It shows on a timeline what ranks did last, as proxyrt trace does; who waits for whom now, as proxyrt "
            + "why does; counters over some seconds; and what proxyrt perf has measured. The page loads nothing: it "
            + "may be mailed, or kept with a bug report.", ""},
        footer = {"", "Examples:",
            "  proxyrt report -o job.html              all runtimes",
            "  proxyrt report 4711 --for 10s -o job.html",
            "  proxyrt report --perf rows.json -o job.html ./r0 ./r1"})
final class ReportCommand implements Callable<Integer> {
    private static final Duration LONGEST = Duration.ofHours(1);

    @Spec
    private CommandSpec spec;

    @Mixin
    private TracedRuntimes runtimes;

    @Mixin
    private OutputOption output;

    @Option(names = "--for", paramLabel = "TIME", defaultValue = "2s", converter = TimeSpan.class,
            description = "Look at counters for so long; ${DEFAULT-VALUE} unless given, 0s for no counters.")
    private Duration span;

    @Option(names = "--perf", paramLabel = "ROWS", description = "What proxyrt perf --json wrote, as a plot.")
    private Path perf;

    @Option(names = "--xml", paramLabel = "XML",
            description = "The topology of the host, as NCCL_TOPO_FILE. Without it, that of this host, if there are "
                    + "runtimes here.")
    private Path xml;

    /** For picocli. */
    ReportCommand() {
    }

    @Override
    public Integer call() {
        if (span.compareTo(LONGEST) > 0) {
            throw new ParameterException(spec.commandLine(), "--for is " + span.toSeconds() + "s: must be at most "
                    + LONGEST.toSeconds() + "s");
        }
        Destination destination = output.destination();
        Optional<PerfDocument> rows = Misuse.checked(spec,
                () -> Optional.ofNullable(perf).map(PerfDocument::read));
        List<RuntimeDirectory.Entry> here = runtimes.here();
        JobTrace before = runtimes.read();
        Optional<Report.Machine> machine = machine(!here.isEmpty());
        CounterSamples counters = here.isEmpty() || span.isZero() ? CounterSamples.NONE
                : CounterSamples.take(here, span);
        Optional<WhyView> why = here.isEmpty() ? Optional.empty() : Optional.of(WhyView.at(here));
        Report report = new Report(here.isEmpty() ? before : before.orLater(runtimes::read), why, counters, rows,
                machine);
        output.write(destination, writer -> ReportPage.write(report, writer), report.lines());
        return 0;
    }

    private Optional<Report.Machine> machine(boolean isHere) {
        if (xml == null && !isHere) {
            return Optional.empty();
        }
        ProxyConfig config = xml == null ? ProxyConfig.builder().build()
                : ProxyConfig.builder().set(TopologyOptions.TOPO_FILE, xml.toString()).build();
        SystemXml system = SystemDetection.find(config);
        return Optional.of(new Report.Machine(TopologySvg.text(TopologyGraph.of(system)), system.problems()));
    }
}
