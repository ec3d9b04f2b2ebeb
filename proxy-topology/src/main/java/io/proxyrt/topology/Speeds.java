/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

/** The bandwidths of a channel that are tried, in GB/s, fastest first: NCCL's lists. */
final class Speeds {
    private static final double[] RCCL = {48, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, 0.24, 0.12};
    private static final double[] INTRA = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
    private static final double[] INTER = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, 0.24, 0.12};
    private static final double[] INTRA_90 = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
    private static final double[] INTER_90 = {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12};
    private static final double[] INTRA_100 = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
    private static final double[] INTER_100 = {96, 90.2, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3,
        2.4, 1.2, 0.24, 0.12};
    private static final int HOPPER = 90;
    private static final int BLACKWELL = 100;

    private Speeds() {
    }

    static double[] of(TopologyGraph graph) {
        if (graph.dialect() == SystemXml.Dialect.RCCL) {
            return RCCL;
        }
        boolean isIntra = graph.nodes(NodeType.NET).isEmpty();
        int capability = graph.minCapability();
        return capability >= BLACKWELL ? isIntra ? INTRA_100 : INTER_100
                : capability >= HOPPER ? isIntra ? INTRA_90 : INTER_90 : isIntra ? INTRA : INTER;
    }
}
