/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SocketHandleTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "10.1.2.3", "::1", "fd00::2"})
    void shouldComeBackAsItWas(String address) throws Exception {
        SocketHandle handle = new SocketHandle(5, SocketToken.random(),
                new InetSocketAddress(InetAddress.getByName(address), 4711), 4712,
                new SocketTerms(64, 65_536, SocketHandle.CHECKED | SocketHandle.RESUMABLE));

        assertEquals(handle, SocketHandle.decode(handle.encode()));
        assertTrue(handle.encode().remaining() <= NetPlugin.HANDLE_BYTES);
    }

    @Test
    void shouldRefuseEveryTruncatedHandle() {
        ByteBuffer whole = example().encode();
        for (int length = 0; length < whole.capacity(); length++) {
            ByteBuffer part = whole.duplicate().limit(length);
            assertEquals(ProxyResult.INVALID_ARGUMENT,
                    assertThrows(ProxyException.class, () -> SocketHandle.decode(part)).result());
        }
    }

    @Test
    void shouldRefuseOrReadEveryDistortedHandle() {
        byte[] whole = new byte[60];
        example().encode().get(whole);
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] distorted = whole.clone();
            for (int changes = random.nextInt(1, 4); changes > 0; changes--) {
                distorted[random.nextInt(distorted.length)] = (byte) random.nextInt();
            }
            decodeOrRefuse(distorted);
        }
    }

    private static SocketHandle example() {
        return new SocketHandle(5, SocketToken.random(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), 0,
                new SocketTerms(2, 65_536, 0));
    }

    private static void decodeOrRefuse(byte[] bytes) {
        try {
            SocketHandle handle = SocketHandle.decode(ByteBuffer.wrap(bytes));
            int port = handle.address().getPort();
            assertTrue(port > 0 && port < 1 << 16);
            assertTrue(handle.terms().sockets() >= 0 && handle.terms().sockets() <= SocketLayout.MAX_SOCKETS);
            assertTrue(handle.terms().chunkBytes() > 0);
        } catch (ProxyException e) {
            assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
        }
    }
}
