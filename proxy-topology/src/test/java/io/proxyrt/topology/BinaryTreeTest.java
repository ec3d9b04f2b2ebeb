/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BinaryTreeTest {
    /** Those that NCCL's sources show as pictures: parents by number. */
    @ParameterizedTest
    @CsvSource({
        "14, false, -1 2 4 2 8 6 4 6 0 10 12 10 8 12", "12, false, -1 2 4 2 8 6 4 6 0 10 8 10",
        "12, true, 1 3 1 11 5 7 5 3 9 7 9 -1", "13, true, 9 -1 3 5 3 9 7 5 7 1 11 0 11"})
    void shouldLookAsInNccl(int count, boolean isSecond, String parents) {
        String found = String.join(" ", IntStream.range(0, count)
                .mapToObj(number -> String.valueOf(BinaryTree.of(count, number, isSecond).parent())).toList());
        assertEquals(parents, found);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReachAllFromOneRoot(boolean isSecond) {
        for (int count = 1; count <= 130; count++) {
            int[] depths = depths(count, isSecond);
            assertEquals(1, Arrays.stream(depths).filter(depth -> depth == 0).count());
            int most = Integer.SIZE - Integer.numberOfLeadingZeros(count) + 1;
            assertTrue(Arrays.stream(depths).allMatch(depth -> depth <= most), count + ": " + Arrays.toString(depths));
        }
    }

    /** Each number's distance from the root. */
    private static int[] depths(int count, boolean isSecond) {
        return IntStream.range(0, count).map(number -> {
            int depth = 0;
            for (int at = number; BinaryTree.of(count, at, isSecond).parent() >= 0; depth++) {
                at = BinaryTree.of(count, at, isSecond).parent();
                assertTrue(depth < count, count + " numbers are in a circle");
            }
            return depth;
        }).toArray();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldHaveChildrenThatKnowTheirParent(boolean isSecond) {
        for (int count = 1; count <= 130; count++) {
            int children = 0;
            for (int number = 0; number < count; number++) {
                List<Integer> pair = BinaryTree.of(count, number, isSecond).children();
                for (int i = 0; i < 2; i++) {
                    if (pair.get(i) >= 0) {
                        BinaryTree child = BinaryTree.of(count, pair.get(i), isSecond);
                        assertEquals(number, child.parent());
                        assertEquals(i == 0, child.isFirstChild());
                        children++;
                    }
                }
            }
            assertEquals(count - 1, children);
        }
    }

    @Test
    void shouldBeInsideOneTreeOnlyIfTheNumberIsEven() {
        for (int count = 2; count <= 130; count += 2) {
            for (int number = 0; number < count; number++) {
                assertTrue(isLeaf(count, number, false) || isLeaf(count, number, true), count + ", " + number);
            }
        }
    }

    private static boolean isLeaf(int count, int number, boolean isSecond) {
        return BinaryTree.of(count, number, isSecond).children().stream().allMatch(child -> child < 0);
    }
}
