/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.topology.HostRanks;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;

/** Two hosts, of ranks 0, 2, 4 and 1, 3. */
class HostOrdersTest {
    private static final Nodes NODES = Nodes.of(List.of("a", "b", "a", "b", "a"));

    @Test
    void shouldTakeWhatEachHostSays() {
        HostOrders.Outcome outcome = HostOrders.agree(NODES, told());
        assertEquals("", outcome.whyNot());
        assertEquals("[4, 0, 2, 3, 1]", outcome.nodes().ring().toString());
        assertEquals("ranks follow each other in rings as [4, 0, 2, 3, 1], by the topology of their hosts",
                outcome.toString());
        assertEquals(List.of(List.of(2, 0, 4), List.of(1, 3)), outcome.nodes().trees());
        assertEquals(NODES.ranks(), outcome.nodes().ranks());
        assertEquals(-1, TreePlace.of(outcome.nodes(), 2, 0).up(), "the first of the first host");
        Members members = Members.ofNode(outcome.nodes(), 0);
        assertEquals(List.of(0, 2, 4), List.of(members.place(), members.next(), members.prev()));
    }

    @Test
    void shouldNameTheRankThatFoundAnotherOrder() {
        byte[][] told = told();
        told[4] = HostOrders.tell(order(List.of(1, 0, 2), List.of(1, 0, 2)), 2);
        requireByRank(told, "rank 4 and rank 0 of one host have found different orders");
        assertEquals(Level.WARN, HostOrders.agree(NODES, told).level());
    }

    @Test
    void shouldGoByRankIfAHostKnowsNothing() {
        byte[][] told = told();
        told[1] = HostOrders.tell(Optional.empty(), 0);
        told[3] = HostOrders.tell(Optional.empty(), 1);
        requireByRank(told, "the topology of rank 1's host says nothing");
        assertEquals(Level.INFO, HostOrders.agree(NODES, told).level(), "nothing is wrong");
    }

    /** The place in the ring, and that in the tree. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1, 3, 1000, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void shouldNotTakeAPlaceThatIsNotThereOrTaken(int place) {
        for (int at : new int[] {8, 12}) {
            byte[][] told = told();
            int own = ByteBuffer.wrap(told[4]).getInt(at);
            ByteBuffer.wrap(told[4]).putInt(at, place);
            if (place != own) {
                requireByRank(told, "rank 4 takes a place");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 15, 17, 4096})
    void shouldNotTakeNonsense(int bytes) {
        byte[][] told = told();
        told[0] = new byte[bytes];
        requireByRank(told, "rank 0 has told " + bytes + " bytes");
        told = told();
        ByteBuffer.wrap(told[3]).putInt(0, 1 << 30);
        requireByRank(told, "rank 3 and rank 1");
    }

    private static void requireByRank(byte[][] told, String why) {
        HostOrders.Outcome outcome = HostOrders.agree(NODES, told);
        assertTrue(outcome.toString().startsWith("ranks of a host follow each other by their numbers: " + why),
                outcome::toString);
        assertEquals(NODES, outcome.nodes());
    }

    private static byte[][] told() {
        Optional<HostRanks.Order> first = order(List.of(2, 0, 1), List.of(1, 0, 2));
        Optional<HostRanks.Order> second = order(List.of(1, 0), List.of(0, 1));
        return IntStream.range(0, 5).mapToObj(rank -> HostOrders.tell(rank % 2 == 0 ? first : second, rank / 2))
                .toArray(byte[][]::new);
    }

    private static Optional<HostRanks.Order> order(List<Integer> ring, List<Integer> tree) {
        return Optional.of(new HostRanks.Order(ring, tree));
    }
}
