/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UnauthenticatedTest {
    private final Unauthenticated<String> connections = new Unauthenticated<>(3);

    @Test
    void shouldDisplaceTheOldestOfTheSourceThatHasMost() {
        assertNull(connections.add("good", "10.0.0.2", 0));
        assertNull(connections.add("bad 1", "10.0.0.1", 0));
        assertNull(connections.add("bad 2", "10.0.0.1", 0));

        assertEquals("bad 1", connections.add("bad 3", "10.0.0.1", 0));
        assertEquals("bad 2", connections.add("third", "10.0.0.3", 0));
        assertEquals(List.of("good", "bad 3", "third"), connections.all());
        assertEquals("good", connections.oldest());
    }

    @Test
    void shouldCountWhatIsThereAndNotWhatWas() {
        connections.add("a", "10.0.0.1", 0);
        connections.add("b", "10.0.0.1", 0);
        assertTrue(connections.remove("a"));
        assertFalse(connections.remove("a"));
        connections.add("c", "10.0.0.2", 0);
        connections.add("d", "10.0.0.2", 0);

        assertEquals("c", connections.displace(0));
        assertEquals(2, connections.size());
    }

    @Test
    void shouldTellOfAFloodAsLongAsItLasts() {
        assertEquals("", connections.flood(0));
        for (int i = 0; i < 10; i++) {
            connections.add("c" + i, "10.0.0.1", i);
        }

        assertEquals("the port is flooded by 10 unauthenticated connections, at last from 10.0.0.1",
                connections.flood(10));
        assertEquals("", connections.flood(TimeUnit.SECONDS.toNanos(11)));
        connections.add("later", "10.0.0.9", TimeUnit.SECONDS.toNanos(20));
        assertTrue(connections.flood(TimeUnit.SECONDS.toNanos(20)).contains(" 4 unauthenticated"));
    }

    @Test
    void shouldDisplaceNothingWhereNothingIs() {
        assertNull(connections.displace(0));
        assertNull(connections.oldest());
        assertTrue(connections.isEmpty());
    }

    @Test
    void shouldTakeANetworkOfIpv6ForOneSource() {
        assertEquals("2001:db8:0:1:0:0:0:0/64",
                Unauthenticated.source(new InetSocketAddress("2001:db8:0:1:9::7", 1)));
        assertEquals("127.0.0.1", Unauthenticated.source(new InetSocketAddress("127.0.0.1", 1)));
        assertEquals("this host", Unauthenticated.source(UnixDomainSocketAddress.of(Path.of("/x"))));
    }
}
