/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

/**
 * What decides how data go, where there is a choice. Immutable.
 *
 * @param p2pLevel  up to which distance GPUs reach each other's memory ({@code NCCL_P2P_LEVEL})
 * @param gdrLevel  up to which distance a NIC reaches a GPU's memory ({@code NCCL_NET_GDR_LEVEL})
 * @param isRomeGdr whether it is {@link PathType#PHB} where both are at one CPU of AMD's Rome or later, as RCCL has it
 * @param isPxn     whether data may go to a NIC over another GPU ({@code NCCL_PXN_DISABLE})
 * @param isNvb     whether data may go from GPU to GPU over a third one's NVLinks ({@code NCCL_NVB_DISABLE})
 * @param netDevs   how many adapters a GPU's channels take
 */
record PathRules(PathType p2pLevel, PathType gdrLevel, boolean isRomeGdr, boolean isPxn, boolean isNvb,
        NetDevsPolicy netDevs) {
    private static final int FEW_GPUS = 2;

    /**
     * What NCCL or RCCL, whichever the graph is of, does by itself.
     *
     * @param graph of a host
     * @return the rules
     */
    static PathRules of(TopologyGraph graph) {
        boolean isRccl = graph.dialect() == SystemXml.Dialect.RCCL;
        NodeDetail.Cpu cpu = graph.firstCpu();
        boolean isFar = isRccl ? !cpu.isIntel() && !cpu.isZhaoxin() && !cpu.isArm()
                : cpu.isAmd() && graph.nodes(NodeType.GPU).size() <= FEW_GPUS;
        return new PathRules(isFar ? PathType.SYS : PathType.PXB, isRccl ? PathType.PXB : PathType.P2C,
                isRccl && cpu.isRome(), !isRccl, true, NetDevsPolicy.AUTO);
    }

    /**
     * The same with another level of P2P.
     *
     * @param level {@link PathType#LOC} for none
     * @return other rules
     */
    PathRules p2pLevel(PathType level) {
        return new PathRules(level, gdrLevel, isRomeGdr, isPxn, isNvb, netDevs);
    }

    /**
     * The same with another level of GPUDirect RDMA, wherever the NIC is.
     *
     * @param level {@link PathType#LOC} for none
     * @return other rules
     */
    PathRules gdrLevel(PathType level) {
        return new PathRules(p2pLevel, level, false, isPxn, isNvb, netDevs);
    }

    /**
     * The same with or without PXN.
     *
     * @param isAllowed whether data may go to a NIC over another GPU
     * @return other rules
     */
    PathRules pxn(boolean isAllowed) {
        return new PathRules(p2pLevel, gdrLevel, isRomeGdr, isAllowed, isNvb, netDevs);
    }

    /**
     * The same with another number of adapters.
     *
     * @param policy that says how many
     * @return other rules
     */
    PathRules netDevs(NetDevsPolicy policy) {
        return new PathRules(p2pLevel, gdrLevel, isRomeGdr, isPxn, isNvb, policy);
    }
}
