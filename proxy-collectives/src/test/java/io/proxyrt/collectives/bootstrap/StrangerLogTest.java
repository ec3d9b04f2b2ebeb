/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class StrangerLogTest {
    private final WarningLog warnings = new WarningLog();
    private final StrangerLog log = new StrangerLog(warnings);

    @Test
    void shouldWarnOnceOfOneHostAndReason() {
        log.turnedAway(address("127.0.0.1", 1), "end", "it went", new byte[0]);
        log.turnedAway(address("127.0.0.1", 2), "end", "it went", new byte[0]);
        log.turnedAway(address("127.0.0.2", 2), "end", "it went", new byte[] {'x'});
        log.turnedAway(address("127.0.0.1", 3), "handshake", "it slept", new byte[0]);

        assertEquals(3, warnings.messages().size());
        assertEquals("closed a connection from 127.0.0.2:2, which is not a rank of this job: it went; it sent \"x\"",
                warnings.messages().get(1));
    }

    @Test
    void shouldWarnOfABoundedNumberOfHosts() {
        for (int i = 0; i < 1000; i++) {
            log.turnedAway(address("10.0." + i / 256 + "." + i % 256, 1), "end", "it went", new byte[0]);
        }

        assertEquals(256, warnings.messages().size());
    }

    private static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(host), port);
    }
}
