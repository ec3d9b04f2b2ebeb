/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.launch.RankBody;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.launch.RankOutcome;
import io.proxyrt.cli.launch.RankSession;
import io.proxyrt.cli.tuning.ChoiceView;
import io.proxyrt.collectives.Algorithm;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.collectives.TuningProfile;
import io.proxyrt.collectives.TuningTable;
import io.proxyrt.core.CollFunction;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Asks a communicator what it would choose, and measures that beside what it could. */
public final class ChoiceSession implements RankBody {
    private static final List<Algorithm> ALGORITHMS = List.of(Algorithm.RING, Algorithm.DOUBLING, Algorithm.PAT,
            Algorithm.TREE, Algorithm.MSCCL);

    private final ChoicePlan plan;
    private final Optional<TuningTable> predicting;
    private final Consumer<ChoiceView> done;

    private ChoiceSession(ChoicePlan plan, Optional<TuningTable> predicting, Consumer<ChoiceView> done) {
        this.plan = plan;
        this.predicting = predicting;
        this.done = done;
    }

    /**
     * Describes what to ask.
     *
     * @param plan    equal at all ranks
     * @param configs of the runtimes
     * @param ranks   how many there are
     * @param done    what rank 0 does with the answer
     * @param err     where ranks say why they failed
     * @return to be run at each rank
     */
    public static RankSession of(ChoicePlan plan, RankConfigs configs, int ranks, Consumer<ChoiceView> done,
            PrintStream err) {
        Optional<TuningTable> predicting = TuningProfile.inUse(configs.common()).nearest(plan.transport(),
                plan.function(), ranks);
        return new RankSession("proxyrt info tuning", configs, err,
                rank -> new ChoiceSession(plan, predicting, done));
    }

    @Override
    public RankOutcome run(Communicator comm) {
        Map<Long, Algorithm> chosen = new TreeMap<>();
        plan.sizes().forEach(bytes -> chosen.put(bytes, comm.algorithm(plan.function(), bytes)));
        if (plan.measuring().isEmpty()) {
            tell(comm, chosen, Map.of(), Optional.empty());
            return RankOutcome.OK;
        }
        CollFunction function = plan.function();
        long most = plan.sizes().getLast() * (Collective.valueOf(function.name()).isDivided() ? comm.nRanks() : 1);
        try (AlgorithmTrials trials = new AlgorithmTrials(comm, most)) {
            plan.sizes().forEach(bytes -> trials.add(function, bytes, ALGORITHMS));
            trials.run(plan.measuring().get());
            tell(comm, chosen, trials.timesUs(function), Optional.of(trials.noise()));
        }
        return RankOutcome.OK;
    }

    private void tell(Communicator comm, Map<Long, Algorithm> chosen, Map<Algorithm, Map<Long, Double>> timesUs,
            Optional<Double> noise) {
        if (comm.rank() == 0) {
            List<ChoiceView.Row> rows = chosen.entrySet().stream().map(entry -> ChoiceView.Row.of(entry.getKey(),
                    entry.getValue(), predicting.flatMap(table -> table.timeUs(entry.getValue(), entry.getKey())),
                    timesUs)).toList();
            done.accept(new ChoiceView(TuningProfile.thisMachine(), plan.function().name().toLowerCase(Locale.ROOT),
                    comm.nRanks(), plan.transport(), comm.channels(), noise, ChoiceView.Regret.of(rows), rows));
        }
    }
}
