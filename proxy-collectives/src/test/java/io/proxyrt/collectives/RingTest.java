/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class RingTest {
    private static final long BYTES = 64 << 10;

    /** A slice would not fit into the slot that it comes in by, and kernels of a GPU do not look. */
    @Test
    void shouldRefuseToJoinStepsOfDifferentSizes() {
        assertEquals(BYTES / DeviceConnection.STEPS, Ring.join(0, end(1, BYTES), end(2, BYTES)).stepBytes(
                Protocol.SIMPLE));
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> Ring.join(0, end(1, 2 * BYTES), end(2, BYTES)));
        assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
        assertTrue(refusal.getMessage().contains("16384 bytes from rank 1 and 8192 to rank 2"), refusal.getMessage());
    }

    private static ConnectionEnd end(int peer, long simpleBytes) {
        MemorySegment words = memory(4096);
        return new ConnectionEnd(peer, 1, false, DeviceConnection.direct(new SendMem(words), new RecvMem(words),
                memory(BYTES), memory(BYTES), memory(simpleBytes)), null);
    }

    private static MemorySegment memory(long bytes) {
        return Arena.ofAuto().allocate(bytes, 4096);
    }
}
