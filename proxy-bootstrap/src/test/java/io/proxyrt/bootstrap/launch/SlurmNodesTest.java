/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlurmNodesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"node1 | node1", "node1,node2 | node1", "gpu[007-011,020],login1 | gpu007",
        "gpu[7] | gpu7", "r1n[01,05-06].cluster | r1n01.cluster", "a-b.c | a-b.c", "host[1-2],other | host1"})
    void shouldFindTheFirstHost(String list, String host) {
        assertEquals(Optional.of(host), SlurmNodes.firstHost(list));
    }

    @Test
    void shouldFindNoneInNothing() {
        assertEquals(Optional.empty(), SlurmNodes.firstHost(""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"4 | 0 | 4", "4(x2),3 | 0 | 4", "4(x2),3 | 1 | 4", "4(x2),3 | 2 | 3",
        "1,2(x3),7 | 3 | 2", "1,2(x3),7 | 4 | 7"})
    void shouldCountTheTasksOfANode(String list, int node, int tasks) {
        assertEquals(OptionalInt.of(tasks), SlurmNodes.tasks(list, node));
    }

    @Test
    void shouldCountNothingWhereNothingIsSaid() {
        assertEquals(OptionalInt.empty(), SlurmNodes.tasks("", 0));
        assertEquals(OptionalInt.empty(), SlurmNodes.tasks("4(x2)", 2));
        assertEquals(OptionalInt.empty(), SlurmNodes.tasks("x", 0));
    }
}
