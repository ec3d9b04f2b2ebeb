/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import org.junit.jupiter.api.Test;

class PeerTextTest {
    @Test
    void shouldWriteAddresses() {
        assertEquals("127.0.0.1:80", PeerText.address(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 80)));
        assertEquals("[0:0:0:0:0:0:0:1]:80", PeerText.address(new InetSocketAddress(InetAddress.ofLiteral("::1"), 80)));
        assertEquals("a.b:80", PeerText.address(InetSocketAddress.createUnresolved("a.b", 80)));
        assertEquals("/tmp/a", PeerText.address(UnixDomainSocketAddress.of("/tmp/a")));
        assertEquals("null", PeerText.address(null));
    }

    @Test
    void shouldTakeControlCharactersOutOfText() {
        assertEquals("a b c d e f \u00e4",
                PeerText.line("a\r\n\0b\u001bc\u2028d\u202ee\u0085f\t\u00e4"));
    }
}
