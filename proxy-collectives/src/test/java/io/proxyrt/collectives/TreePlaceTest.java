/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The shapes of trees, of all ranks. */
class TreePlaceTest {
    private static final int MOST_RANKS = 40;

    /** So many ranks on nodes of about the same size, or of any, in any order. */
    private static Nodes nodes(int nRanks, int count, Random random) {
        List<Integer> ranks = new ArrayList<>(IntStream.range(0, nRanks).boxed().toList());
        if (random != null) {
            Collections.shuffle(ranks, random);
        }
        List<List<Integer>> nodes = Stream.generate(ArrayList<Integer>::new).limit(count)
                .<List<Integer>>map(list -> list).toList();
        for (int i = 0; i < nRanks; i++) {
            nodes.get(i < count ? i : random == null ? i * count / nRanks : random.nextInt(count)).add(ranks.get(i));
        }
        return new Nodes(nodes.stream().map(list -> list.stream().sorted().toList()).toList());
    }

    private static int log2(int number) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(number - 1);
    }

    /** Looks at a whole tree, and returns its root. */
    private static int root(int nRanks, int mostLevels, IntFunction<TreePlace> places) {
        List<Integer> roots = new ArrayList<>();
        int[] reached = new int[nRanks];
        for (int rank = 0; rank < nRanks; rank++) {
            TreePlace place = places.apply(rank);
            assertTrue(place.down().size() <= 3, place::toString);
            for (int child : place.down()) {
                assertEquals(rank, places.apply(child).up(), "parent of " + child);
                reached[child]++;
            }
            if (place.up() < 0) {
                roots.add(rank);
            } else {
                assertTrue(places.apply(place.up()).down().contains(rank), place + " of " + rank);
            }
            assertTrue(depth(rank, places, nRanks) <= mostLevels, rank + " is too deep");
        }
        assertEquals(1, roots.size(), roots::toString);
        for (int rank = 0; rank < nRanks; rank++) {
            assertEquals(rank == roots.getFirst() ? 0 : 1, reached[rank], "parents of " + rank);
        }
        return roots.getFirst();
    }

    private static int depth(int rank, IntFunction<TreePlace> places, int nRanks) {
        int depth = 0;
        for (int at = rank; places.apply(at).up() >= 0; at = places.apply(at).up()) {
            depth++;
            assertTrue(depth < nRanks, "a cycle above " + rank);
        }
        return depth;
    }

    @Test
    void shouldReachEveryRankOnceWithFewLevels() {
        Random random = new Random(26);
        for (int nRanks = 1; nRanks <= MOST_RANKS; nRanks++) {
            for (int count = 1; count <= Math.min(nRanks, 6); count++) {
                for (Nodes nodes : List.of(nodes(nRanks, count, null), nodes(nRanks, count, random))) {
                    int levels = log2(nodes.most()) + log2(count);
                    for (int tree = 0; tree < TreePlace.TREES; tree++) {
                        int which = tree;
                        root(nRanks, levels, rank -> TreePlace.of(nodes, rank, which));
                    }
                    int wanted = random.nextInt(nRanks);
                    assertEquals(wanted, root(nRanks, levels, rank -> TreePlace.rooted(nodes, rank, wanted)));
                }
            }
        }
    }

    /** Between two nodes there is one connection each way, as few as can be. */
    @Test
    void shouldCrossNodesAsSeldomAsCanBe() {
        for (int tree = 0; tree < TreePlace.TREES; tree++) {
            int which = tree;
            Nodes nodes = nodes(17, 4, new Random(tree));
            assertEquals(3, IntStream.range(0, 17).filter(rank -> {
                int up = TreePlace.of(nodes, rank, which).up();
                return up >= 0 && nodes.nodeOf(up) != nodes.nodeOf(rank);
            }).count());
        }
    }

    /** With an odd number of ranks rank 0 has children in both, as in NCCL. */
    @Test
    void shouldHaveLeavesOfOneTreeWhereTheOtherHasParents() {
        for (int nRanks = 2; nRanks <= MOST_RANKS; nRanks++) {
            for (Nodes nodes : List.of(nodes(nRanks, 1, null), nodes(nRanks, nRanks, null))) {
                for (int rank = nRanks % 2; rank < nRanks; rank++) {
                    assertTrue(TreePlace.of(nodes, rank, 0).down().isEmpty()
                            || TreePlace.of(nodes, rank, 1).down().isEmpty(), rank + " of " + nRanks);
                }
            }
        }
    }

    /** The figure in NCCL's source. */
    @Test
    void shouldBeTheTreeOfNccl() {
        int[] parents = {-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12};
        Nodes nodes = nodes(parents.length, 1, null);
        for (int rank = 0; rank < parents.length; rank++) {
            assertEquals(parents[rank], TreePlace.of(nodes, rank, 0).up(), "parent of " + rank);
        }
        assertEquals(List.of(8), TreePlace.of(nodes, 0, 0).down());
        assertEquals(List.of(4, 12), TreePlace.of(nodes, 8, 0).down());
        assertEquals(List.of(10, 13), TreePlace.of(nodes, 12, 0).down());
    }
}
