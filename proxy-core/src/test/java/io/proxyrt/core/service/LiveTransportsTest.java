/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.proxyrt.core.Direction;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ScriptedTransport;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LiveTransportsTest {
    private final ScriptedTransport direct = new ScriptedTransport(null);
    private final ScriptedTransport copying = new ScriptedTransport(args -> 0);
    private final ScriptedTransport network = new ScriptedTransport(args -> 0);
    private final ConnectionTable table = new ConnectionTable();
    private final LiveTransports live = table.transports();

    @BeforeEach
    void waitForTheNetwork() {
        direct.isWaitable = true;
        network.isWaitable = true;
    }

    @Test
    void shouldPollOnlyTransportsWithConnections() {
        live.poll(2);
        ProxyConnection first = add(network);
        ProxyConnection second = add(network);
        live.poll(2);
        assertEquals(List.of("poll 2"), network.calls);

        table.remove(first);
        live.poll(2);
        assertEquals(List.of("poll 2", "poll 2"), network.calls);
        table.remove(second);
        live.poll(2);
        assertEquals(List.of("poll 2", "poll 2"), network.calls);
        assertEquals(List.of(), copying.calls);
    }

    @Test
    void shouldSleepWhereDataWakeIt() {
        assertNull(live.waitable(null));
        ProxyConnection copied = add(copying);
        assertNull(live.waitable(null));
        ProxyConnection sent = add(network);
        assertSame(network, live.waitable(null));
        table.remove(copied);
        assertSame(network, live.waitable(null));
        table.remove(sent);
        assertNull(live.waitable(null));
    }

    @Test
    void shouldSleepWhereTheOldestOpWaits() {
        ScriptedTransport other = new ScriptedTransport(args -> 0);
        add(network);
        add(other);
        assertSame(network, live.waitable(other), "it cannot tell");
        other.isWaitable = true;
        assertSame(other, live.waitable(other));
        assertSame(network, live.waitable(network));
        assertSame(network, live.waitable(null));
    }

    @Test
    void shouldLeaveOutConnectionsThatNeedNoProxy() {
        ProxyConnection mapped = add(direct);
        live.poll(2);
        assertEquals(List.of(), direct.calls);
        assertNull(live.waitable(null));
        table.remove(mapped);
        assertNull(live.waitable(null));
    }

    private ProxyConnection add(ScriptedTransport transport) {
        return table.add(id -> new ProxyConnection(id, transport, Direction.SEND, 1));
    }
}
