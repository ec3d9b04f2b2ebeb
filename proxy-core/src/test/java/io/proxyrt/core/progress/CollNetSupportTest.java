/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CollNetSupportTest {
    private static final CollNetSupport SUMS = CollNetSupport.of("Tree", 3, (type, op) -> op == RedOp.SUM);

    @Test
    void shouldSupportWhatAllNetworksReduce() {
        assertTrue(SUMS.hasWindows());
        assertFalse(SUMS.and(SUMS.allReduceAlone()).hasWindows());
        assertTrue(SUMS.allReduceAlone().reduces(DataType.INT8, RedOp.SUM));
        assertFalse(CollNetSupport.NONE.hasWindows());
        CollNetSupport floats = CollNetSupport.of("Tree", 2, (type, op) -> type == DataType.FLOAT32);
        CollNetSupport both = SUMS.and(floats);
        assertEquals(2, both.devices());
        assertEquals("Tree", both.network());
        for (DataType type : DataType.values()) {
            for (RedOp op : RedOp.values()) {
                assertEquals(type == DataType.FLOAT32 && op == RedOp.SUM, both.reduces(type, op), type + " " + op);
            }
        }
        assertFalse(CollNetSupport.NONE.reduces(DataType.INT8, RedOp.SUM));
        assertTrue(SUMS.reduces(DataType.BFLOAT16, RedOp.SUM));
    }

    @Test
    void shouldKnowItsNetworkByName() {
        assertTrue(SUMS.isOf("tree"));
        assertFalse(SUMS.isOf("Switch"));
        assertFalse(SUMS.isOf(""));
    }

    @Test
    void shouldTellOtherRanksAllOfIt() {
        CollNetSupport named = new CollNetSupport("Baum ä", 7, SUMS.reductions());
        ByteBuffer told = ByteBuffer.allocate(64).put(named.encode()).putInt(77).flip();
        assertEquals(named, CollNetSupport.decode(told));
        assertEquals(77, told.getInt(), "what comes behind it is left");
    }

    @Test
    void shouldRefuseBrokenBytes() {
        byte[] good = SUMS.encode().array();
        for (int length = 0; length < good.length; length++) {
            ByteBuffer broken = ByteBuffer.wrap(Arrays.copyOf(good, length));
            RuntimeException e = assertThrows(RuntimeException.class, () -> CollNetSupport.decode(broken));
            assertTrue(e instanceof BufferUnderflowException || e instanceof IllegalArgumentException, e::toString);
        }
        for (int length : new int[] {-1, 5, Integer.MAX_VALUE}) {
            ByteBuffer broken = SUMS.encode().putInt(Integer.BYTES + Long.BYTES, length);
            assertThrows(IllegalArgumentException.class, () -> CollNetSupport.decode(broken));
        }
    }
}
