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
        SocketHandle handle = new SocketHandle(5, 0x0123456789abcdefL,
                new InetSocketAddress(InetAddress.getByName(address), 4711));

        assertEquals(handle, SocketHandle.decode(handle.encode()));
        assertTrue(handle.encode().remaining() <= NetPlugin.HANDLE_BYTES);
    }

    @Test
    void shouldRefuseEveryTruncatedHandle() {
        ByteBuffer whole = new SocketHandle(5, 1, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)).encode();
        for (int length = 0; length < whole.capacity(); length++) {
            ByteBuffer part = whole.duplicate().limit(length);
            assertEquals(ProxyResult.INVALID_ARGUMENT,
                    assertThrows(ProxyException.class, () -> SocketHandle.decode(part)).result());
        }
    }

    @Test
    void shouldRefuseOrReadEveryDistortedHandle() {
        byte[] whole = new byte[36];
        new SocketHandle(5, 1, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)).encode().get(whole);
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] distorted = whole.clone();
            for (int changes = random.nextInt(1, 4); changes > 0; changes--) {
                distorted[random.nextInt(distorted.length)] = (byte) random.nextInt();
            }
            decodeOrRefuse(distorted);
        }
    }

    private static void decodeOrRefuse(byte[] bytes) {
        try {
            int port = SocketHandle.decode(ByteBuffer.wrap(bytes)).address().getPort();
            assertTrue(port > 0 && port < 1 << 16);
        } catch (ProxyException e) {
            assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
        }
    }
}
