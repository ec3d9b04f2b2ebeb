/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.tuner.Choice;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TimeTable;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import io.proxyrt.tuner.spi.Tuner;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Chooses algorithm, protocol, channels and threads for calls of one function on one communicator: of the ways that the
 * user allows, the one that the model takes for the fastest, or a tuner; then, unless the user named protocols or the
 * tuner changed a time, RCCL's rules by size. The same for the same input, so ranks that are told the same choose the
 * same. Immutable; any thread, unless there is a tuner.
 */
public final class Chooser {
    private static final Way ALONE = new Way(NcclAlgorithm.RING, Protocol.SIMPLE);

    private static final Logger LOG = Subsystem.TUNING.logger();

    private final CostModel model;
    private final TuningInput input;
    private final TuningFilter filter;
    private final Optional<Tuner> tuner;
    private final CostTable costs;
    /** Whether the tuner has; only its thread is here then. */
    private boolean hasFailed;

    /**
     * For a function and a communicator.
     *
     * @param model  of the architecture
     * @param input  of the communicator, and the function
     * @param filter what the user allows
     */
    public Chooser(CostModel model, TuningInput input, TuningFilter filter) {
        this(model, input, filter, Optional.empty());
    }

    /**
     * The same with a tuner, which makes it the tuner's thread's own.
     *
     * @param model  of the architecture
     * @param input  of the communicator, and the function
     * @param filter what the user allows
     * @param tuner  that has a say; stays the caller's
     */
    public Chooser(CostModel model, TuningInput input, TuningFilter filter, Optional<Tuner> tuner) {
        this.model = tuner.map(one -> model.with(one.constants())).orElse(model);
        this.input = input;
        this.filter = filter;
        this.tuner = tuner;
        this.costs = this.model.predict(input, filter);
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
        TimeTable ofModel = allowed(costs.times(call), way -> true);
        TimeTable times = ofModel.copy();
        int mostChannels = adjust(call, times);
        allowed(times, ofModel::isPossible);
        Way fastest = times.fastest().orElseThrow(this::nothingLeft);
        Way way = times.equals(ofModel) ? overridden(call, fastest) : fastest;
        LaunchSize size = model.launch(input, call, way);
        return new Choice(way, mostChannels > 0 ? Math.min(mostChannels, size.channels()) : size.channels(),
                size.threads(), times.timeUs(way));
    }

    private TimeTable allowed(TimeTable times, Predicate<Way> isPossible) {
        Way.all().stream().filter(way -> !filter.admits(way) || !isPossible.test(way))
                .forEach(way -> times.set(way, TimeTable.IGNORED));
        return times;
    }

    /** What a tuner makes of the times; if it cannot say, they stay. Returns the most channels, or 0. */
    private int adjust(CollInfo call, TimeTable times) {
        if (tuner.isEmpty()) {
            return 0;
        }
        TimeTable adjusted = times.copy();
        try {
            int channels = tuner.get().adjust(input.function(), call, adjusted);
            Way.all().forEach(way -> times.set(way, adjusted.timeUs(way)));
            return channels;
        } catch (ProxyException e) {
            // One that fails at each call would fill the log.
            LOG.atLevel(hasFailed ? Level.DEBUG : Level.WARN).log("the model alone chooses for {} bytes of {}: {}",
                    call.bytes(), NcclTables.label(input.function()), e.getMessage());
            hasFailed = true;
            return 0;
        }
    }

    private ProxyException nothingLeft() {
        return new ProxyException(ProxyResult.INVALID_USAGE, "nothing is left for "
                + NcclTables.label(input.function()) + " of " + input.ranks() + " ranks on " + input.nodes()
                + (input.nodes() == 1 ? " node of " : " nodes of ") + model.architecture() + ": allowed are " + filter
                + tuner.map(one -> ", " + one.name() + " has a say").orElse("")
                + ", possible " + Way.all().stream().filter(way -> costs.cost(way).isPresent()).toList());
    }

    /** A rule asks in vain for what is not possible, as LL128 is on ways that break its lines. */
    private Way overridden(CollInfo call, Way fastest) {
        Way way = filter.protocols().isPresent() ? fastest : model.override(input, call, fastest);
        return filter.admits(way) && costs.cost(way).isPresent() ? way : fastest;
    }
}
