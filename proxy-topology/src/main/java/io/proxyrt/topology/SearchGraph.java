/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.Arrays;

/** A graph that is being searched for, or the best one so far: GPUs and networks by their place in the topology. */
final class SearchGraph {
    final int gpus;
    GraphPattern pattern;
    int crossNic;
    int minChannels;
    final int maxChannels;
    double bwIntra;
    double bwInter;
    PathType typeIntra = PathType.LOC;
    PathType typeInter = PathType.LOC;
    double latencyInter;
    boolean isSameChannels = true;
    int hops;
    int channels;
    final int[] intra;
    final int[] inter;

    SearchGraph(int gpus, GraphPattern pattern, int minChannels, int maxChannels) {
        this.gpus = gpus;
        this.pattern = pattern;
        this.minChannels = minChannels;
        this.maxChannels = maxChannels;
        this.intra = new int[gpus * maxChannels];
        this.inter = new int[2 * maxChannels];
        Arrays.fill(inter, -1);
    }

    void copy(SearchGraph other) {
        pattern = other.pattern;
        crossNic = other.crossNic;
        minChannels = other.minChannels;
        bwIntra = other.bwIntra;
        bwInter = other.bwInter;
        typeIntra = other.typeIntra;
        typeInter = other.typeInter;
        latencyInter = other.latencyInter;
        isSameChannels = other.isSameChannels;
        hops = other.hops;
        channels = other.channels;
        System.arraycopy(other.intra, 0, intra, 0, intra.length);
        System.arraycopy(other.inter, 0, inter, 0, inter.length);
    }

    /** GPUs of a channel before it and of the one being made: {@code step} of this one. */
    int gpu(int channel, int step) {
        return intra[channel * gpus + step];
    }

    /** Whether it beats another: by bandwidth, then by the number of links that data cross. */
    boolean isBetterThan(SearchGraph best) {
        if (channels < minChannels) {
            return false;
        }
        double mine = channels * bwIntra;
        double theirs = best.channels * best.bwIntra;
        return mine != theirs ? mine > theirs
                : pattern == best.pattern && crossNic == best.crossNic && hops < best.hops;
    }
}
