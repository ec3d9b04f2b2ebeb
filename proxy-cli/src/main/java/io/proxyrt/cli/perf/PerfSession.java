/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.about.Host;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.collectives.bootstrap.UniqueId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Runs a measurement at ranks of this process: joins, measures, reports and leaves. */
public final class PerfSession {
    /** How a rank ended. */
    public enum Outcome {
        /** Everything was measured, and right. */
        OK,
        /** Everything was measured, and some of it wrong; said by rank 0 alone. */
        WRONG_DATA,
        /** It was told to end. */
        INTERRUPTED,
        /** Something went wrong, and was said. */
        FAILED
    }

    private final PerfPlan plan;
    private final ProxyConfig config;
    private final Path json;
    private final PrintStream out;
    private final PrintStream err;

    /**
     * Describes the measurement.
     *
     * @param plan   equal at all ranks
     * @param config of the runtimes
     * @param json   file that rank 0 writes, or null
     * @param out    where rank 0 prints
     * @param err    where ranks say why they failed
     */
    public PerfSession(PerfPlan plan, ProxyConfig config, Path json, PrintStream out, PrintStream err) {
        this.plan = plan;
        this.config = config;
        this.json = json;
        this.out = out;
        this.err = err;
    }

    /**
     * Runs one rank. Blocks until it is done; when the thread is interrupted, it ends soon.
     *
     * @param id       where to join
     * @param rank     which
     * @param nRanks   of how many
     * @param onJoined called when all ranks have come
     * @return how it went
     */
    public Outcome run(UniqueId id, int rank, int nRanks, Runnable onJoined) {
        PerfReport report = rank == 0 ? report(nRanks) : PerfReport.NONE;
        try (Communicator comm = Communicator.init(id, rank, nRanks, config)) {
            onJoined.run();
            return measure(comm, report);
        } catch (ProxyException e) {
            return failed(report, rank, e.getMessage(), null);
        } catch (RuntimeException | Error e) {
            return failed(report, rank, "internal error: " + e, e);
        }
    }

    private Outcome measure(Communicator comm, PerfReport report) {
        try (PerfRank rank = new PerfRank(comm, plan, report)) {
            PerfResult result = rank.run(device(comm));
            comm.barrier();
            return result.failures() > 0 && comm.rank() == 0 ? Outcome.WRONG_DATA : Outcome.OK;
        } catch (RuntimeException | Error e) {
            boolean isInterrupted = Thread.interrupted();
            comm.abort(isInterrupted ? "it was told to end" : Objects.requireNonNullElse(e.getMessage(), e.toString()));
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            throw e;
        }
    }

    private Outcome failed(PerfReport report, int rank, String reason, Throwable bug) {
        boolean isInterrupted = Thread.interrupted();
        try {
            report.failed(isInterrupted ? "interrupted" : reason);
        } catch (ProxyException e) {
            err.println("proxyrt perf: " + e.getMessage());
        }
        if (isInterrupted) {
            return Outcome.INTERRUPTED;
        }
        err.println("proxyrt perf: " + (reason.startsWith("rank " + rank) ? "" : "rank " + rank + ": ") + reason);
        if (bug != null) {
            bug.printStackTrace(err);
        }
        return Outcome.FAILED;
    }

    private PerfReport report(int nRanks) {
        List<PerfReport> reports = new ArrayList<>(List.of(new PerfTable(out)));
        if (json != null) {
            reports.add(new JsonReport(json, config, nRanks));
        }
        return new TeeReport(reports);
    }

    private String device(Communicator comm) {
        String transport = config.get(CollectivesOptions.TRANSPORT);
        return String.format(Locale.ROOT, "Rank %2d Pid %6d on %10s device %s, %s, %s threading, %d channel%s, Java %s",
                comm.rank(), ProcessHandle.current().pid(), Host.name(), comm.proxy().device().name(),
                transport.isEmpty() ? String.join(" or ", comm.proxy().transports()) : transport,
                config.get(CoreOptions.THREADING).name().toLowerCase(Locale.ROOT),
                config.get(CollectivesOptions.CHANNELS), config.get(CollectivesOptions.CHANNELS) == 1 ? "" : "s",
                Runtime.version());
    }
}
