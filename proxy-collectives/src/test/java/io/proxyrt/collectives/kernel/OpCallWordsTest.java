/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import org.junit.jupiter.api.Test;

class OpCallWordsTest {
    private static final long SUM = OpWord.word(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.SUM, 0);

    private static String difference(long word, long bytes, long otherWord, long otherBytes) {
        return new OpCallWords().difference(word, bytes, otherWord, otherBytes);
    }

    @Test
    void shouldSayInWhatCallsDiffer() {
        assertEquals("", difference(SUM, 64, SUM, 64));
        assertEquals("count", difference(SUM, 64, SUM, 128));
        assertEquals("type", difference(SUM, 64,
                OpWord.word(CollFunction.ALL_REDUCE, DataType.FLOAT64, RedOp.SUM, 0), 128));
        assertEquals("count and reduction", difference(SUM, 64,
                OpWord.word(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.MAX, 0), 128));
        assertEquals("root", difference(OpWord.word(CollFunction.BROADCAST, DataType.INT8, null, 0), 64,
                OpWord.word(CollFunction.BROADCAST, DataType.INT8, null, 3), 64));
        assertEquals("MSCCL file", difference(SUM, 64,
                OpWord.word(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.SUM, 2), 64));
        assertEquals("sizes of parts", difference(OpWord.fused(SUM, 2), 64, OpWord.fused(SUM, 3), 64));
        assertEquals("collective", difference(SUM, 64,
                OpWord.word(CollFunction.ALL_GATHER, DataType.FLOAT32, null, 0), 128));
    }

    @Test
    void shouldDescribeAsErrorsDo() {
        assertEquals("all_reduce of 16 FLOAT32 SUM", new OpCallWords().describe(SUM, 64));
    }
}
