/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.collectives.kernel.RingOrder;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rings of ranks that do not follow each other by their numbers, for hosts have them in turn. */
class RingOrderTest {
    private static final List<CollFunction> FUNCTIONS = List.of(CollFunction.ALL_REDUCE, CollFunction.REDUCE,
            CollFunction.BROADCAST, CollFunction.ALL_GATHER, CollFunction.REDUCE_SCATTER);

    @TempDir
    Path directory;

    @Test
    void shouldHaveRanksOfAHostFollowEachOther() {
        RingOrder order = Nodes.of(List.of("a", "b", "a", "c", "b", "a")).ring();
        assertEquals("[0, 2, 5, 1, 4, 3]", order.toString());
        assertFalse(order.isByRank());
        assertTrue(Nodes.of(List.of("b", "b", "a")).ring().isByRank());
        for (int rank = 0; rank < order.nRanks(); rank++) {
            assertEquals(rank, order.rank(order.place(rank)));
            assertEquals(rank, order.prev(order.next(rank)));
        }
        assertEquals(0, order.next(3));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void shouldComputeTheSame(int nRanks) throws Exception {
        run(nRanks, comm -> {
            Random random = new Random(nRanks);
            for (int call = 0; call < 20; call++) {
                CheckedCollective one = new CheckedCollective(comm, random, FUNCTIONS);
                one.call(comm);
                comm.synchronize();
                one.check();
            }
        });
    }

    /** All inputs go round, and each rank reduces all of them itself. */
    @Test
    void shouldGatherTheSameToTheLastBit() throws Exception {
        float[] results = new float[5];
        run(results.length, comm -> {
            MemorySegment data = Way.memory(comm, Float.BYTES);
            data.set(ValueLayout.JAVA_FLOAT, 0, 1.1f + 1e7f * comm.rank() * comm.rank());
            comm.allReduce(data, data, 1, DataType.FLOAT32, RedOp.SUM);
            comm.synchronize();
            results[comm.rank()] = data.get(ValueLayout.JAVA_FLOAT, 0);
        });
        for (float result : results) {
            assertEquals(results[0], result);
            assertEquals(3e8f + 5.5f, result, 100);
        }
    }

    private void run(int nRanks, InProcessRanks.Body body) throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, nRanks).mapToObj(rank ->
                InProcessRanks.config(directory, ThreadingMode.INVOKER, "")
                        .set(CoreOptions.HOST_ID, "host " + rank % 2)
                        .set(CollectivesOptions.ALGORITHM, Allowed.only(Algorithm.RING)).build()).toList();
        for (Throwable failure : InProcessRanks.failures(configs, body)) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }
}
