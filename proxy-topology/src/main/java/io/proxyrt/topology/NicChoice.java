/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.Optional;

/**
 * The NIC that a rank uses, and the rank whose proxy drives it: NCCL's {@code ncclTopoGetNetDev}. Immutable.
 *
 * @param net   a device of the network
 * @param proxy the rank itself, or one on the same host whose GPU is closer to the NIC (PXN)
 */
public record NicChoice(int net, int proxy) {
    /** How far messages go out of their way to arrive at the peer's own NIC ({@code NCCL_P2P_PXN_LEVEL}). */
    public enum PxnLevel {
        /** Not at all. */
        NONE,
        /** If a path over another GPU is found to that NIC. */
        IF_CLOSE,
        /** Always, if another GPU over NVLink is close to that NIC. */
        ALWAYS
    }

    /** For a channel of a ring or tree; empty if the graph has no network. */
    static Optional<NicChoice> ofChannel(Paths paths, ChannelGraph graph, int channel, int rank) {
        ChannelGraph.Channel own = graph.channels().get(channel);
        int dev = own.ranks().getFirst() == rank ? own.netIn() : own.netOut();
        return net(paths, dev).map(net -> of(paths, gpu(paths, rank), net));
    }

    /**
     * For messages to one peer.
     *
     * @param paths   of the host
     * @param rank    of the host
     * @param channel from 0 on
     * @param peerDev the number of the peer's GPU on its own host: its NIC is the one of the GPU that has that number
     *                here, where networks have a rail for each
     * @param level   how far to go for that
     * @return empty if no NIC can be reached
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is no such rank
     */
    public static Optional<NicChoice> ofPeer(Paths paths, int rank, int channel, int peerDev, PxnLevel level) {
        TopologyNode gpu = gpu(paths, rank);
        Optional<NicChoice> own = paths.localNet(gpu, channel).map(net -> new NicChoice(net.net().dev(), rank));
        if (level == PxnLevel.NONE || !paths.rules().isPxn()) {
            return own;
        }
        Optional<TopologyNode> twin = paths.graph().nodes(NodeType.GPU).stream()
                .filter(other -> other.gpu().dev() == peerDev).findFirst();
        return twin.flatMap(other -> paths.localNet(other, channel))
                .flatMap(net -> level == PxnLevel.IF_CLOSE ? ifClose(paths, gpu, net) : over(paths, gpu, net))
                .or(() -> own);
    }

    private static Optional<NicChoice> ifClose(Paths paths, TopologyNode gpu, TopologyNode net) {
        return paths.find(gpu, net).filter(path -> path.type().compareTo(PathType.PXN) <= 0)
                .map(path -> of(paths, gpu, net));
    }

    private static Optional<NicChoice> over(Paths paths, TopologyNode gpu, TopologyNode net) {
        return paths.localGpu(net).filter(peer -> paths.find(gpu, peer)
                        .filter(path -> path.type().compareTo(PathType.NVL) <= 0).isPresent()
                && paths.find(peer, net).filter(path -> path.type().compareTo(PathType.P2C) <= 0).isPresent())
                .map(peer -> new NicChoice(net.net().dev(), peer.gpu().rank()));
    }

    private static NicChoice of(Paths paths, TopologyNode gpu, TopologyNode net) {
        return new NicChoice(net.net().dev(), paths.proxy(gpu, net).gpu().rank());
    }

    private static TopologyNode gpu(Paths paths, int rank) {
        return paths.graph().nodes(NodeType.GPU).stream().filter(node -> node.gpu().rank() == rank).findFirst()
                .orElseThrow(() -> new ProxyException(ProxyResult.INVALID_ARGUMENT,
                        "rank " + rank + " is not on this host"));
    }

    private static Optional<TopologyNode> net(Paths paths, int dev) {
        return paths.graph().nodes(NodeType.NET).stream().filter(node -> node.net().dev() == dev).findFirst();
    }
}
