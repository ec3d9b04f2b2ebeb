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
import java.io.PrintStream;

/** A measurement at one rank; rank 0 reports. */
public final class PerfSession implements RankBody {
    private final PerfPlan plan;
    private final PerfReport report;

    private PerfSession(PerfPlan plan, PerfReport report) {
        this.plan = plan;
        this.report = report;
    }

    /**
     * Describes the measurement.
     *
     * @param plan   equal at all ranks
     * @param nRanks how many there are
     * @param configs of the runtimes
     * @param output where rank 0 reports
     * @param err    where ranks say why they failed
     * @return to be run at each rank
     */
    public static RankSession of(PerfPlan plan, int nRanks, RankConfigs configs, PerfOutput output,
            PrintStream err) {
        return new RankSession("proxyrt perf", configs, err, rank -> new PerfSession(plan,
                new PerfReport(rank == 0 ? output : PerfOutput.NONE, configs.common(), nRanks)));
    }

    @Override
    public RankOutcome run(Communicator comm) {
        try (PerfRank rank = new PerfRank(comm, plan, report)) {
            int failures = rank.run(RankLine.of(comm));
            return failures > 0 && comm.rank() == 0 ? RankOutcome.WRONG_DATA : RankOutcome.OK;
        }
    }

    @Override
    public void failed(String reason) {
        report.failed(reason);
    }
}
