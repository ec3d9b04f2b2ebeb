/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
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
    void shouldRefuseAnInfoWhoseLengthIsNoShort() {
        ByteBuffer longest = ByteBuffer.allocate(CollNetInfos.MAX_INFO_BYTES);
        assertEquals(List.of(longest), CollNetInfos.decode(CollNetInfos.encode(0, List.of(longest))).infos());
        ByteBuffer longer = ByteBuffer.allocate(CollNetInfos.MAX_INFO_BYTES + 1);
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                assertThrows(ProxyException.class, () -> CollNetInfos.encode(0, List.of(longer))).result());
    }
}
