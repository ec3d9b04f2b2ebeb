/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IbHandleTest {
    private static final IbHandle HANDLE = new IbHandle(2, 4, ByteBuffer.wrap(new byte[] {1, 2, 3}));

    @Test
    void shouldSurviveItsEncoding() {
        ByteBuffer encoded = HANDLE.encode();
        assertTrue(encoded.isReadOnly());
        assertEquals(HANDLE, IbHandle.decode(encoded));
        assertEquals(HANDLE, IbHandle.decode(ByteBuffer.allocate(40).position(5).put(encoded.duplicate()).flip()
                .position(5)));
    }

    @ParameterizedTest
    @CsvSource({"0, 7", "8, 2", "12, 0", "12, 5", "16, 0", "16, 129"})
    void shouldRefuseWhatCannotBeMeant(int offset, int value) {
        ByteBuffer wrong = ByteBuffer.allocate(40).put(HANDLE.encode()).flip().putInt(offset, value);
        ProxyException refusal = assertThrows(ProxyException.class, () -> IbHandle.decode(wrong));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertTrue(refusal.getMessage().contains("network IB"), refusal.getMessage());
    }
}
