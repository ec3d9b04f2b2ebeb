/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.collnet.RunningSwitches;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which switch carries out what: its calls are counted. A node is a letter, and so is each rank's place. */
@Tag(Extent.SCALED)
class CollNetHeadsTest {
    private static final int COUNT = 30_011;

    @TempDir
    Path directory;

    private List<ProxyConfig> configs(RunningSwitches switches, String algorithm, int channels,
            String nodes) {
        return Arrays.stream(nodes.split("")).map(node -> InProcessRanks.config(directory, ThreadingMode.DEDICATED, "")
                .set("coll.algo", algorithm).set(CollectivesOptions.COLLNET_ENABLE, true)
                .set(CollectivesOptions.CHANNELS, channels).set(CoreOptions.HOST_ID, "node " + node)
                .set("collnet.switch", switches.addresses()).build()).toList();
    }

    @ParameterizedTest
    @CsvSource({"COLLNETDIRECT, 2, aabb, true", "COLLNETDIRECT, 3, aaabbb, true", "COLLNETCHAIN, 2, aabb, false",
        "COLLNETCHAIN, 4, aaabbb, false", "AUTO, 2, aabb, true", "COLLNETDIRECT, 9, aabbcc, true"})
    void shouldShareTheWorkBetweenTwoSwitches(String algorithm, int channels, String nodes,
            boolean hasParts) throws Exception {
        try (RunningSwitches switches = RunningSwitches.start(2)) {
            List<ProxyConfig> configs = configs(switches, algorithm, channels, nodes);
            List<Long> reduced = run(switches, configs, CollNetHeadsTest::allReduce);
            assertTrue(reduced.stream().allMatch(calls -> calls > 0), reduced::toString);
            for (InProcessRanks.Body body : List.<InProcessRanks.Body>of(CollNetHeadsTest::allGather,
                    CollNetHeadsTest::reduceScatter)) {
                List<Long> calls = run(switches, configs, body);
                assertTrue(calls.stream().allMatch(number -> hasParts == number > 0), calls::toString);
            }
        }
    }

    /** Parts of ranks that do not follow each other, or of nodes that differ, go by the ring. */
    @ParameterizedTest
    @CsvSource({"COLLNETDIRECT, abab", "COLLNETDIRECT, abbb", "COLLNET, abba"})
    void shouldLeavePartsToTheRingThatDoNotLieAlike(String algorithm, String nodes) throws Exception {
        try (RunningSwitches switches = RunningSwitches.start(1)) {
            List<ProxyConfig> configs = configs(switches, algorithm, 2, nodes);
            List<Long> reduced = run(switches, configs, CollNetHeadsTest::allReduce);
            assertTrue(reduced.getFirst() > 0, reduced::toString);
            assertEquals(List.of(0L), run(switches, configs, CollNetHeadsTest::allGather));
            assertEquals(List.of(0L), run(switches, configs, CollNetHeadsTest::reduceScatter));
        }
    }

    /** Returns the calls that each switch has carried out for it. */
    private static List<Long> run(RunningSwitches switches, List<ProxyConfig> configs, InProcessRanks.Body body)
            throws Exception {
        List<Long> before = switches.calls();
        for (Throwable failure : InProcessRanks.failures(configs, body)) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
        List<Long> after = switches.calls();
        return Stream.iterate(0, i -> i + 1).limit(after.size()).map(i -> after.get(i) - before.get(i)).toList();
    }

    private static void allReduce(Communicator comm) {
        MemorySegment data = numbers(COUNT, comm.rank());
        comm.allReduce(data, data, COUNT, DataType.INT32, RedOp.SUM);
        comm.synchronize();
        int ranks = comm.nRanks() * (comm.nRanks() - 1) / 2;
        for (int i = 0; i < COUNT; i++) {
            assertEquals(comm.nRanks() * i + ranks, data.getAtIndex(JAVA_INT, i), "at " + i);
        }
    }

    private static void allGather(Communicator comm) {
        MemorySegment all = Arena.ofAuto().allocate(4L * COUNT * comm.nRanks(), 8);
        comm.allGather(numbers(COUNT, comm.rank() << 24), all, COUNT, DataType.INT32);
        comm.synchronize();
        for (int i = 0; i < COUNT * comm.nRanks(); i++) {
            assertEquals(i % COUNT + (i / COUNT << 24), all.getAtIndex(JAVA_INT, i), "at " + i);
        }
    }

    private static void reduceScatter(Communicator comm) {
        MemorySegment part = Arena.ofAuto().allocate(4L * COUNT, 8);
        comm.reduceScatter(numbers(COUNT * comm.nRanks(), comm.rank()), part, COUNT, DataType.INT32, RedOp.MAX);
        comm.synchronize();
        for (int i = 0; i < COUNT; i++) {
            assertEquals(i + COUNT * comm.rank() + comm.nRanks() - 1, part.getAtIndex(JAVA_INT, i), "at " + i);
        }
    }

    private static MemorySegment numbers(int count, int first) {
        MemorySegment memory = Arena.ofAuto().allocate(4L * count, 8);
        for (int i = 0; i < count; i++) {
            memory.setAtIndex(JAVA_INT, i, i + first);
        }
        return memory;
    }
}
