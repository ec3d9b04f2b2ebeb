/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import java.util.ArrayList;
import java.util.List;

/**
 * A rank's place in a tree of all ranks. It is made of binary trees as of NCCL's {@code ncclGetBtree} and {@code
 * ncclGetDtree}: one over the nodes, and one over the ranks of each node, whose root has the node's parent and children
 * besides. NCCL has a chain inside a node; a tree takes fewer hops, and a hop is what costs here.
 *
 * @param up   the parent; -1 at the root
 * @param down the children: at most three, at a node's root those of other nodes last
 */
record TreePlace(int up, List<Integer> down) {
    /** Trees that share the data of an all-reduce. */
    static final int TREES = 2;
    private static final int NONE = -1;

    /**
     * In one of the two trees of a double binary tree. A rank with children in one of them is a leaf of the other, but
     * for few, if each node has one rank, or all ranks are on one node.
     *
     * @param tree 0 or 1
     */
    static TreePlace of(Nodes nodes, int rank, int tree) {
        return of(nodes, rank, (size, any) -> tree == 0 ? Turn.NONE
                : size % 2 == 0 ? new Turn(size - 1, true) : new Turn(1, false));
    }

    /** In a tree that has this rank for its root. */
    static TreePlace rooted(Nodes nodes, int rank, int root) {
        int rootNode = nodes.nodeOf(root);
        int local = nodes.trees().get(rootNode).indexOf(root);
        return of(nodes, rank, (size, node) -> node == NONE ? new Turn(rootNode, false)
                : node == rootNode ? new Turn(local, false) : Turn.NONE);
    }

    /** How the places of a binary tree are taken. */
    private record Turn(int first, boolean isMirrored) {
        private static final Turn NONE = new Turn(0, false);

        /** Whose a place is, and the other way round if mirrored. */
        int member(int place, int size) {
            return Math.floorMod(isMirrored ? first - place : first + place, size);
        }

        int place(int member, int size) {
            return Math.floorMod(isMirrored ? first - member : member - first, size);
        }
    }

    /** Says how the ranks of a node take their places, or the nodes themselves, for which the node is -1. */
    private interface Turns {
        Turn of(int size, int node);
    }

    private static TreePlace of(Nodes nodes, int rank, Turns turns) {
        int node = nodes.nodeOf(rank);
        List<Integer> locals = nodes.trees().get(node);
        TreePlace inner = binary(locals.size(), locals.indexOf(rank), turns.of(locals.size(), node));
        List<Integer> down = new ArrayList<>(inner.down.stream().map(locals::get).toList());
        if (inner.up != NONE) {
            return new TreePlace(locals.get(inner.up), List.copyOf(down));
        }
        TreePlace outer = binary(nodes.count(), node, turns.of(nodes.count(), NONE));
        outer.down.forEach(child -> down.add(head(nodes, child, turns)));
        return new TreePlace(outer.up == NONE ? NONE : head(nodes, outer.up, turns), List.copyOf(down));
    }

    /** The root of the ranks of a node. */
    private static int head(Nodes nodes, int node, Turns turns) {
        List<Integer> locals = nodes.trees().get(node);
        return locals.get(turns.of(locals.size(), node).member(0, locals.size()));
    }

    private static TreePlace binary(int size, int member, Turn turn) {
        TreePlace place = binary(size, turn.place(member, size));
        return new TreePlace(place.up == NONE ? NONE : turn.member(place.up, size),
                place.down.stream().map(child -> turn.member(child, size)).toList());
    }

    /** {@code ncclGetBtree}: place 0 is the root, and odd places are leaves. */
    private static TreePlace binary(int size, int place) {
        if (place == 0) {
            return new TreePlace(NONE, size == 1 ? List.of() : List.of(Integer.highestOneBit(size - 1)));
        }
        int bit = Integer.lowestOneBit(place);
        int up = (place ^ bit) | bit << 1;
        List<Integer> down = new ArrayList<>();
        int step = bit >> 1;
        if (step > 0) {
            down.add(place - step);
        }
        while (step > 0 && place + step >= size) {
            step >>= 1;
        }
        if (step > 0) {
            down.add(place + step);
        }
        return new TreePlace(up < size ? up : place ^ bit, down);
    }
}
