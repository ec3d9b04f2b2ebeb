/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.CollFunction;
import java.util.stream.IntStream;

/**
 * The ways of kernels of the host other than rings.
 *
 * @param planner  chooses
 * @param doubling for all-reduces
 * @param trees    for all-reduces, reduces and broadcasts
 * @param logSteps for all-gathers and reduce-scatters
 * @param hierarchical for all-reduces of nodes that are alike; null if they are not
 */
record HostWays(LaunchPlanner planner, Doubling doubling, Trees trees, LogSteps logSteps,
        Hierarchical hierarchical) {
    /** Over rings that are connected. They use the channels behind those of the rings. */
    static HostWays of(CommunicatorParts parts, LaunchPlanner planner) {
        StepPorts first = new StepPorts(parts, parts.rings.length);
        StepPorts second = new StepPorts(parts, parts.rings.length + 1);
        StepPorts[] others = IntStream.range(0, parts.rings.length)
                .mapToObj(ring -> new StepPorts(parts, parts.rings.length + 2 + ring)).toArray(StepPorts[]::new);
        Hierarchical byNodes = !Hierarchical.isFor(parts.setup.nodes()) ? null
                : new Hierarchical(parts.setup, planner, others);
        return new HostWays(planner, new Doubling(parts.setup, first),
                new Trees(parts.setup, planner, first, second), new LogSteps(parts.setup, first),
                byNodes);
    }

    /** The way of a collective; null if that is the rings. */
    HostWay of(CollFunction function, long bytes) {
        return switch (planner.algorithm(function, bytes)) {
            case DOUBLING -> doubling;
            case TREE -> trees;
            case PAT -> logSteps;
            case HIERARCHICAL -> hierarchical;
            default -> null;
        };
    }
}
