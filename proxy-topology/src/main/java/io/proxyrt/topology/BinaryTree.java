/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * A binary tree over the numbers 0 to n - 1 in which every other number is a leaf: NCCL's. Two of them, of which one is
 * the other's mirror (n even) or is shifted by one (n odd), make a double tree: a number is inside one of them at most,
 * so that each sends about as much.
 *
 * @param parent       -1 for the root
 * @param children     two, the lower one first; -1 where there is none
 * @param isFirstChild whether it is its parent's first child
 */
record BinaryTree(int parent, List<Integer> children, boolean isFirstChild) {
    private static final List<Integer> NONE = List.of(-1, -1);

    /** What is next to a number in the first tree, or in the second one. */
    static BinaryTree of(int count, int number, boolean isSecond) {
        if (!isSecond) {
            return of(count, number);
        }
        if (count % 2 == 1) {
            return of(count, (number + count - 1) % count).map(other -> (other + 1) % count);
        }
        return of(count, count - 1 - number).map(other -> count - 1 - other);
    }

    private BinaryTree map(IntUnaryOperator name) {
        return new BinaryTree(parent < 0 ? -1 : name.applyAsInt(parent),
                children.stream().map(child -> child < 0 ? -1 : name.applyAsInt(child)).toList(), isFirstChild);
    }

    /** The lowest bit that is set says how high a number is; the parent has the next higher one as its lowest. */
    private static BinaryTree of(int count, int number) {
        assert number >= 0 && number < count : number + " of " + count;
        if (number == 0) {
            return new BinaryTree(-1, count > 1 ? List.of(-1, Integer.highestOneBit(count - 1)) : NONE, false);
        }
        int bit = Integer.lowestOneBit(number);
        int up = number ^ bit | bit << 1;
        int parent = up < count ? up : number ^ bit;
        int half = bit >> 1;
        if (half == 0) {
            return new BinaryTree(parent, NONE, number < parent);
        }
        int right = half;
        while (right > 0 && number + right >= count) {
            right >>= 1;
        }
        return new BinaryTree(parent, List.of(number - half, right == 0 ? -1 : number + right), number < parent);
    }
}
