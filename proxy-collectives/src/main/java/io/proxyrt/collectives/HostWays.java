/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.msccl.AlgorithmFile;
import io.proxyrt.core.CollFunction;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The ways of kernels of the host other than rings.
 *
 * @param planner  chooses
 * @param doubling for all-reduces
 * @param trees    for all-reduces, reduces and broadcasts
 * @param logSteps for all-gathers and reduce-scatters
 * @param hierarchical for all-reduces of nodes that are alike; null if they are not
 * @param files    of the user, in the order in which they are tried
 */
record HostWays(LaunchPlanner planner, Doubling doubling, Trees trees, LogSteps logSteps,
        Hierarchical hierarchical, List<AlgorithmFileWay> files) {
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
                byNodes, files(parts, planner, 2 * parts.rings.length + 2));
    }

    /** Files share connections, for their collectives go one after the other. */
    private static List<AlgorithmFileWay> files(CommunicatorParts parts, LaunchPlanner planner, int firstChannel) {
        List<AlgorithmFile> files = planner.files().files();
        StepPorts[] channels = IntStream.range(0, files.stream().mapToInt(AlgorithmFile::nChannels).max().orElse(0))
                .mapToObj(channel -> new StepPorts(parts, firstChannel + channel)).toArray(StepPorts[]::new);
        return files.stream().map(file -> new AlgorithmFileWay(file, parts.setup.rank(), channels)).toList();
    }

    /** The way of a collective by itself; null if that is the rings. */
    HostWay of(CollectiveWork work) {
        return work.file() > 0 ? files.get(work.file() - 1) : of(work.function(), work.bytes());
    }

    /** The way of a collective that goes by no file; null if that is the rings. */
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
