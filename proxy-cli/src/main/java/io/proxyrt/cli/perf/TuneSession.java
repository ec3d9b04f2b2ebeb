/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.launch.RankBody;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.launch.RankOutcome;
import io.proxyrt.cli.launch.RankSession;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.collectives.TuningTable;
import java.io.PrintStream;
import java.util.List;

/** Measures algorithms at one rank; rank 0 keeps what came of it. */
public final class TuneSession implements RankBody {
    private final TunePlan plan;
    private final TuneReport report;

    private TuneSession(TunePlan plan, TuneReport report) {
        this.plan = plan;
        this.report = report;
    }

    /**
     * Describes the measurement.
     *
     * @param plan    equal at all ranks
     * @param configs of the runtimes
     * @param out     where rank 0 prints
     * @param err     where ranks say why they failed
     * @return to be run at each rank
     */
    public static RankSession of(TunePlan plan, RankConfigs configs, PrintStream out, PrintStream err) {
        return new RankSession("proxyrt tune", configs, err, rank -> new TuneSession(plan, new TuneReport(out)));
    }

    @Override
    public RankOutcome run(Communicator comm) {
        try (TuneRank rank = new TuneRank(comm, plan)) {
            List<TuningTable> tables = rank.run();
            if (comm.rank() == 0) {
                report.noise(rank.noise());
                report.keep(tables, plan.file());
            }
            return RankOutcome.OK;
        }
    }
}
