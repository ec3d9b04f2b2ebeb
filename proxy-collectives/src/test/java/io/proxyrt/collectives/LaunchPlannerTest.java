/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaunchPlannerTest {
    @ParameterizedTest
    @CsvSource({"true, 16384", "false, 300000"})
    void shouldLeaveLargerChunksWholeWhereProxiesMoveThem(boolean isDirect, long expected) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CollectivesOptions.REGISTER, false)
                .set(CollectivesOptions.WHOLE_CHUNK_BYTES, 300_000L).build();
        CollectiveWork work = new CollectiveWork(4)
                .function(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.SUM, 0)
                .buffers(MemorySegment.NULL, MemorySegment.NULL, 1 << 20);
        LaunchPlanner.ofHost(config, 4, new Ring[0], isDirect, null).plan(work);
        assertEquals(expected, work.wholeChunk());
    }
}
