/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JobTopologyTest {
    private static final SystemXml PCIE = Models.own("pcie-4-sockets-2");

    /** Ranks 0 and 3 are on one host, 1 and 2 on another. */
    @Test
    void shouldMakeRanksOfAHostNeighbours() {
        JobTopology job = JobTopology.of(Models.own("pcie-2"), List.of(RankPlace.ofGpu(7, "0000:2b:00.0"),
                RankPlace.ofGpu(9, "0000:01:00.0"), RankPlace.ofGpu(9, "0000:2b:00.0"),
                RankPlace.ofGpu(7, "0000:01:00.0")));
        assertEquals(List.of(List.of(0, 3), List.of(1, 2)), job.hosts());
        List<Integer> ring = job.ring(0);
        assertEquals(1, Math.abs(ring.indexOf(0) - ring.indexOf(3)), ring::toString);
        assertEquals(1, Math.abs(ring.indexOf(1) - ring.indexOf(2)), ring::toString);
    }

    @Test
    void shouldNeedNoNetworkOnOneHost() {
        JobTopology job = JobTopology.of(PCIE, Models.places(TopologyGraph.of(PCIE), 0));
        assertEquals(-1, job.ringGraph().channels().getFirst().netIn());
        assertEquals(Optional.empty(), job.ringNic(0, job.ring(0).getFirst()));
        RankTree tree = job.trees(0).getFirst();
        assertEquals(1, tree.children(tree.root()).size());
    }

    @Test
    void shouldKeepToTheRailWhereNicsCross() {
        JobTopology job = JobTopology.of(Models.own("nvswitch-8-nics-8"), eachGpu("nvswitch-8-nics-8", 4));
        assertEquals(2, job.ringGraph().crossNic());
        for (int channel = 0; channel < job.channels(); channel++) {
            List<Integer> ring = job.ring(channel);
            for (int host = 0; host < 4; host++) {
                int last = ring.get(host * 8 + 7);
                int next = ring.get((host * 8 + 8) % ring.size());
                assertEquals(job.ringNic(channel, last).orElseThrow().net(),
                        job.ringNic(channel, next).orElseThrow().net());
                assertEquals(last, job.ringNic(channel, last).orElseThrow().proxy());
            }
        }
    }

    /** The first GPU of a balanced tree has one child host, and the second one the other. */
    @Test
    void shouldShareChildHostsAmongTheFirstTwoRanks() {
        JobTopology job = JobTopology.of(PCIE, eachGpu("pcie-4-sockets-2", 7));
        assertEquals(GraphPattern.BALANCED_TREE, job.treeGraph().pattern());
        List<Integer> chain = job.treeGraph().channels().getFirst().ranks();
        RankTree tree = job.trees(0).getFirst();
        int head = job.hosts().get(2).get(chain.get(0));
        int second = job.hosts().get(2).get(chain.get(1));
        assertEquals(List.of(second, job.hosts().get(3).get(chain.get(0))), tree.children(head));
        assertEquals(List.of(job.hosts().get(2).get(chain.get(2)), job.hosts().get(1).get(chain.get(0))),
                tree.children(second));
    }

    @Test
    void shouldAgreeOnTheLeastOfUnequalHosts() {
        List<RankPlace> places = new ArrayList<>(Models.places(Models.graph("nvswitch-8-nics-8"), 1));
        places.addAll(Models.places(Models.graph("pcie-2"), 2));
        places.add(RankPlace.ofHostDevice(3, 0));
        JobTopology job = JobTopology.of(Map.of(1L, Models.own("nvswitch-8-nics-8"), 2L, Models.own("pcie-2"), 3L,
                SystemXml.parse("bare", SystemXmlTest.system(1, "<cpu numaid='0'/>"))), places);
        assertEquals(1, job.channels());
        assertEquals(0.24, job.ringGraph().bwInter());
        assertEquals(PathType.SYS, job.ringGraph().typeInter());
        assertEquals(11, job.ring(0).stream().distinct().count());
        assertTrue(job.trees(0).stream().allMatch(tree -> tree.root() >= 0));
    }

    @Test
    void shouldRefuseRanksOfUnknownHosts() {
        assertThrows(ProxyException.class, () -> JobTopology.of(PCIE, List.of()));
        assertThrows(ProxyException.class, () -> JobTopology.of(Map.of(1L, PCIE), eachGpu("pcie-4-sockets-2", 1)));
        JobTopology job = JobTopology.of(PCIE, eachGpu("pcie-4-sockets-2", 2));
        assertThrows(ProxyException.class, () -> job.ring(job.channels()));
        assertThrows(ProxyException.class, () -> job.trees(-1));
        assertThrows(ProxyException.class, () -> job.ringNic(0, 8));
        RankTree tree = job.trees(0).getFirst();
        assertThrows(ProxyException.class, () -> tree.parent(8));
        assertThrows(ProxyException.class, () -> tree.children(-1));
    }

    private static List<RankPlace> eachGpu(String model, int hosts) {
        List<RankPlace> places = new ArrayList<>();
        for (int host = 0; host < hosts; host++) {
            places.addAll(Models.places(Models.graph(model), host));
        }
        return places;
    }
}
