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
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class CollNetInfosTest {
    @Test
    void shouldCarryAllInfosAndThePlaceOfOne() {
        List<ByteBuffer> infos = List.of(ByteBuffer.wrap(new byte[] {1, 2, 3}), ByteBuffer.allocate(0),
                ByteBuffer.wrap(new byte[300]));
        CollNetInfos decoded = CollNetInfos.decode(CollNetInfos.encode(1, infos));
        assertEquals(new CollNetInfos(1, infos), decoded);
        assertEquals(3, infos.getFirst().remaining(), "read, and left as it was");
    }

    @Test
    void shouldRefuseBrokenBytes() {
        byte[] good = CollNetInfos.encode(0, List.of(ByteBuffer.allocate(4), ByteBuffer.allocate(2))).array();
        for (int length = 0; length < good.length; length++) {
            requireRefused(Arrays.copyOf(good, length));
        }
        requireRefused(Arrays.copyOf(good, good.length + 1));
        for (int rank : new int[] {-1, 2}) {
            byte[] other = good.clone();
            ByteBuffer.wrap(other).putInt(rank);
            requireRefused(other);
        }
    }

    private static void requireRefused(byte[] bytes) {
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                assertThrows(ProxyException.class, () -> CollNetInfos.decode(ByteBuffer.wrap(bytes))).result());
    }

    @Test
    void shouldSupportWhatAllNetworksReduce() {
        CollNetSupport sums = CollNetSupport.of(3, (type, op) -> op == RedOp.SUM);
        assertTrue(sums.hasWindows());
        assertFalse(sums.and(sums.allReduceAlone()).hasWindows());
        assertTrue(sums.allReduceAlone().reduces(DataType.INT8, RedOp.SUM));
        assertFalse(CollNetSupport.NONE.hasWindows());
        CollNetSupport floats = CollNetSupport.of(2, (type, op) -> type == DataType.FLOAT32);
        CollNetSupport both = sums.and(floats);
        assertEquals(2, both.devices());
        for (DataType type : DataType.values()) {
            for (RedOp op : RedOp.values()) {
                assertEquals(type == DataType.FLOAT32 && op == RedOp.SUM, both.reduces(type, op), type + " " + op);
            }
        }
        assertFalse(CollNetSupport.NONE.reduces(DataType.INT8, RedOp.SUM));
        assertTrue(sums.reduces(DataType.BFLOAT16, RedOp.SUM));
    }
}
