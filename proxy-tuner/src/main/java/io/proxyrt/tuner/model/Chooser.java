/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.tuner.Choice;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TimeTable;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;

/**
 * Chooses algorithm, protocol, channels and threads for calls of one function on one communicator: of the ways that the
 * user allows, the one that the model takes for the fastest; then, unless the user named protocols, RCCL's rules by
 * size. The same for the same input, so ranks that are told the same choose the same. Immutable; any thread.
 */
public final class Chooser {
    private static final Way ALONE = new Way(NcclAlgorithm.RING, Protocol.SIMPLE);

    private final CostModel model;
    private final TuningInput input;
    private final TuningFilter filter;
    private final CostTable costs;

    /**
     * For a function and a communicator.
     *
     * @param model  of the architecture
     * @param input  of the communicator, and the function
     * @param filter what the user allows
     */
    public Chooser(CostModel model, TuningInput input, TuningFilter filter) {
        this.model = model;
        this.input = input;
        this.filter = filter;
        this.costs = model.predict(input, filter);
    }

    /**
     * What is chosen from.
     *
     * @return of all ways that the model takes for possible
     */
    public CostTable costs() {
        return costs;
    }

    /**
     * Chooses.
     *
     * @param call what is called
     * @return ring and Simple without channels for a rank that is alone
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if nothing is left of what is possible
     */
    public Choice choose(CollInfo call) {
        if (input.ranks() == 1) {
            return new Choice(ALONE, 0, 0, 0);
        }
        TimeTable times = costs.times(call);
        Way.all().stream().filter(way -> !filter.admits(way)).forEach(way -> times.set(way, TimeTable.IGNORED));
        Way fastest = times.fastest().orElseThrow(this::nothingLeft);
        Way way = overridden(call, fastest);
        LaunchSize size = model.launch(input, call, way);
        return new Choice(way, size.channels(), size.threads(), times.timeUs(way));
    }

    private ProxyException nothingLeft() {
        return new ProxyException(ProxyResult.INVALID_USAGE, "nothing is left for "
                + NcclTables.label(input.function()) + " of " + input.ranks() + " ranks on " + input.nodes()
                + (input.nodes() == 1 ? " node of " : " nodes of ") + model.architecture() + ": allowed are " + filter
                + ", possible " + Way.all().stream().filter(way -> costs.cost(way).isPresent()).toList());
    }

    private Way overridden(CollInfo call, Way fastest) {
        Way way = filter.protocols().isPresent() ? fastest : model.override(input, call, fastest);
        return filter.admits(way) ? way : fastest;
    }
}
