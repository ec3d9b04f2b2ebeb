/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PortRangeTest {
    private static final InetAddress HOST = InetAddress.getLoopbackAddress();

    @Test
    void shouldReadTwoPortsOrNone() {
        assertEquals(new PortRange(30_000, 30_100), PortRange.parse("a.b", " 30000-30100 ", "1-2"));
        assertEquals("30000-30100", PortRange.parse("a.b", "30000-30100", "1-2").toString());
        assertEquals(101, PortRange.parse("a.b", "30000-30100", "1-2").count());
        assertFalse(PortRange.parse("a.b", " ", "1-2").isFixed());
        assertEquals("any that is free", PortRange.of(0).toString());
        assertTrue(PortRange.of(7).isFixed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "1", "5-4", "0-3", "1-65536", "1-2-3", "-1-2", "99999999999-2"})
    void shouldRefuseWhatIsNoRange(String text) {
        ProxyException refusal = assertThrows(ProxyException.class, () -> PortRange.parse("a.b", text, "3-4"));

        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertEquals("a.b is '" + text + "': must be two ports, the smaller first, such as 3-4",
                refusal.getMessage());
    }

    @Test
    void shouldPassOverPortsThatAreTaken() throws IOException {
        try (ServerSocketChannel taken = ServerSocketChannel.open(); ServerSocketChannel next =
                ServerSocketChannel.open()) {
            taken.bind(new InetSocketAddress(HOST, 0));
            PortRange one = PortRange.of(port(taken));
            assertThrows(BindException.class, () -> one.bind(next, HOST, 1, 0));

            new PortRange(one.first() - 20, one.first()).bind(next, HOST, 1, 20);

            assertTrue(port(next) < one.first() && port(next) >= one.first() - 20, () -> port(next) + " of " + one);
        }
    }

    private static int port(ServerSocketChannel server) {
        return server.socket().getLocalPort();
    }
}
