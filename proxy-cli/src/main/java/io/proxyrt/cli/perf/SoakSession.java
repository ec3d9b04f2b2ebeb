/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.launch.RankBody;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.launch.RankOutcome;
import io.proxyrt.cli.launch.RankSession;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.collectives.Communicator;
import java.io.PrintStream;
import java.util.Optional;

/** A soak at one rank; rank 0 reports. */
public final class SoakSession implements RankBody {
    private final SoakPlan plan;
    private final SoakReport report;

    private SoakSession(SoakPlan plan, SoakReport report) {
        this.plan = plan;
        this.report = report;
    }

    /**
     * Describes the soak.
     *
     * @param plan   that counts at rank 0
     * @param configs of the runtimes
     * @param out    where rank 0 prints
     * @param json   document that rank 0 writes
     * @param err    where ranks say why they failed
     * @return to be run at each rank
     */
    public static RankSession of(SoakPlan plan, RankConfigs configs, PrintStream out,
            Optional<Destination> json, PrintStream err) {
        return new RankSession("proxyrt soak", configs, err,
                rank -> new SoakSession(plan, new SoakReport(rank == 0 ? out : null,
                        rank == 0 ? json : Optional.empty())));
    }

    @Override
    public RankOutcome run(Communicator comm) {
        try (SoakRank rank = new SoakRank(comm, plan, report)) {
            boolean isRight = rank.run(RankLine.of(comm));
            return !isRight && comm.rank() == 0 ? RankOutcome.WRONG_DATA : RankOutcome.OK;
        }
    }

    @Override
    public void failed(String reason) {
        report.failed(reason);
    }
}
