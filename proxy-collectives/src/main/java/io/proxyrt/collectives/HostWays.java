/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.CollFunction;

/**
 * The ways of kernels of the host other than rings.
 *
 * @param planner  chooses
 * @param doubling for all-reduces
 * @param trees    for all-reduces, reduces and broadcasts
 * @param logSteps for all-gathers and reduce-scatters
 */
record HostWays(LaunchPlanner planner, Doubling doubling, Trees trees, LogSteps logSteps) {
    /** Over rings that are connected. They use the channels behind those of the rings. */
    static HostWays of(CommunicatorParts parts, LaunchPlanner planner) {
        StepPorts first = new StepPorts(parts, parts.rings.length);
        StepPorts second = new StepPorts(parts, parts.rings.length + 1);
        return new HostWays(planner, new Doubling(parts.setup, first),
                new Trees(parts.setup, planner, first, second), new LogSteps(parts.setup, first));
    }

    /** The way of a collective; null if that is the rings. */
    HostWay of(CollFunction function, long bytes) {
        return switch (planner.algorithm(function, bytes)) {
            case DOUBLING -> doubling;
            case TREE -> trees;
            case PAT -> logSteps;
            default -> null;
        };
    }
}
