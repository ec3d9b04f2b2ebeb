/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * In which order the ranks of a group follow each other in a ring: NCCL's {@code ringRanks}. Kernels count places, from
 * which all they do to data follows; only whose part of a buffer is meant, and where, goes by rank. The same at all
 * ranks. Immutable.
 */
public final class RingOrder {
    private final int[] ranks;
    private final int[] places;
    private final boolean isByRank;

    private RingOrder(int[] ranks) {
        this.ranks = ranks;
        this.places = new int[ranks.length];
        for (int place = 0; place < ranks.length; place++) {
            places[ranks[place]] = place;
        }
        this.isByRank = IntStream.range(0, ranks.length).allMatch(i -> ranks[i] == i);
    }

    /**
     * As it is given.
     *
     * @param ranks all of the group, each once, in their order
     * @return where the first rank follows the last
     */
    public static RingOrder of(int... ranks) {
        assert Arrays.equals(Arrays.stream(ranks).sorted().toArray(), IntStream.range(0, ranks.length).toArray())
                : Arrays.toString(ranks);
        return new RingOrder(ranks.clone());
    }

    /**
     * That of the ranks' numbers.
     *
     * @param nRanks in the group
     * @return where each rank's place is its number
     */
    public static RingOrder byRank(int nRanks) {
        return new RingOrder(IntStream.range(0, nRanks).toArray());
    }

    /** {@return how many ranks there are} */
    public int nRanks() {
        return ranks.length;
    }

    /** {@return whether each rank's place is its number} */
    public boolean isByRank() {
        return isByRank;
    }

    /**
     * Which rank has a place.
     *
     * @param place from 0 to the number of ranks, exclusive
     * @return its number
     */
    public int rank(int place) {
        return ranks[place];
    }

    /**
     * Which place a rank has.
     *
     * @param rank its number
     * @return from 0 on
     */
    public int place(int rank) {
        return places[rank];
    }

    /**
     * To whom a rank sends.
     *
     * @param rank its number
     * @return the next rank's
     */
    public int next(int rank) {
        return ranks[(places[rank] + 1) % ranks.length];
    }

    /**
     * From whom a rank receives.
     *
     * @param rank its number
     * @return the number of the rank before it
     */
    public int prev(int rank) {
        return ranks[(places[rank] + ranks.length - 1) % ranks.length];
    }

    /** {@return the ranks in their order, for people} */
    @Override
    public String toString() {
        return Arrays.toString(ranks);
    }
}
