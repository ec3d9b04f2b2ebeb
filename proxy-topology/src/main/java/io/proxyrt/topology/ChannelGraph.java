/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * The order of the ranks of a host in each channel, and how fast each channel is: NCCL's {@code ncclTopoGraph}.
 * Immutable.
 *
 * @param pattern        of all channels
 * @param channels       at least one
 * @param bwIntra        GB/s of each channel within the host
 * @param bwInter        GB/s of each channel to and from other hosts
 * @param typeIntra      the farthest path between two ranks
 * @param typeInter      the farthest path between a rank and a NIC
 * @param latencyInter   µs that the NIC adds
 * @param isSameChannels whether all channels have one order
 * @param crossNic       0: a channel uses one NIC; 1: it may use two; 2: two channels use two NICs crosswise
 */
public record ChannelGraph(GraphPattern pattern, List<Channel> channels, double bwIntra, double bwInter,
        PathType typeIntra, PathType typeInter, double latencyInter, boolean isSameChannels, int crossNic) {
    /**
     * A channel.
     *
     * @param ranks of the host in their order
     * @param netIn the device of the network that its data come in by; -1 if there is none
     * @param netOut the one that they leave by
     */
    public record Channel(List<Integer> ranks, int netIn, int netOut) {
        /**
         * Copies the list.
         */
        public Channel {
            ranks = List.copyOf(ranks);
        }
    }

    /**
     * Copies the list.
     */
    public ChannelGraph {
        assert !channels.isEmpty() : "a graph has a channel";
        channels = List.copyOf(channels);
    }

    /**
     * What all channels carry within the host.
     *
     * @return GB/s
     */
    public double totalIntra() {
        return channels.size() * bwIntra;
    }

    /** Where NICs are used crosswise, two channels change places on every other host, so that each keeps its rail. */
    int onHost(int channel, boolean isOdd) {
        return crossNic == 2 && channels.size() % 2 == 0 && isOdd ? channel ^ 1 : channel;
    }

    /** With each channel twice, up to a number, at half the bandwidth: one channel alone would not fill fast links. */
    ChannelGraph doubled(int maxChannels) {
        int count = Math.min(2 * channels.size(), maxChannels);
        if (count <= channels.size()) {
            return this;
        }
        List<Channel> all = new ArrayList<>(channels);
        all.addAll(channels.subList(0, count - channels.size()));
        return new ChannelGraph(pattern, all, bwIntra / 2, bwInter / 2, typeIntra, typeInter, latencyInter,
                isSameChannels, crossNic);
    }

    /** The same with fewer channels. */
    ChannelGraph limited(int count) {
        return count >= channels.size() ? this : new ChannelGraph(pattern, channels.subList(0, count), bwIntra, bwInter,
                typeIntra, typeInter, latencyInter, isSameChannels, crossNic);
    }
}
