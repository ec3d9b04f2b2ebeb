/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left when a peer goes. */
class PeerLossTest {
    @TempDir
    Path directory;

    @Test
    void shouldReleaseWhatAKilledPeerHadAndKeepTheRest() throws IOException {
        ScriptedTransport transport = ScriptedTransport.stuck();
        try (ProxyState proxy = Ranks.start(0, directory, transport, Map.of("peer.grace", "100ms"));
                ServiceClient client = proxy.client(proxy.serviceAddress());
                ChildJvm child = new ChildJvm(List.of(), ChildRank.class, "1", Integer.toString(Ranks.port(proxy)),
                        directory.toString())) {
            child.expect("ready");
            child.tell("connect");
            child.tell("post " + child.line());
            child.expect("posted");
            long own = Ranks.connect(client, 3);
            Ranks.post(client, own, 4);
            await(() -> proxy.counters().get(Counter.ARGS_ACTIVE) == 2);
            child.signal("KILL");
            await(() -> transport.live() == 1);
            ProxyException failure = proxy.asyncResult().failure();
            assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
            assertTrue(failure.getMessage().contains("rank 1") && failure.getMessage().contains("went away"),
                    failure.getMessage());
            assertEquals(1, proxy.counters().get(Counter.ARGS_ACTIVE));
            Ranks.post(client, own, 6);
            proxy.audit();
        }
    }

    @Test
    void shouldKeepTheConnectionsOfAClientThatComesBackInTime() {
        ScriptedTransport transport = ScriptedTransport.swift();
        try (ProxyState service = Ranks.start(0, directory, transport, Map.of("peer.grace", "60s"));
                ProxyState caller = Ranks.start(1, directory, ScriptedTransport.swift(), Map.of())) {
            long id;
            try (ServiceClient first = caller.client(service.serviceAddress())) {
                id = Ranks.connect(first, 3);
            }
            await(() -> service.counters().get(Counter.RPC_PEERS) == 0);
            try (ServiceClient second = caller.client(service.serviceAddress())) {
                Ranks.post(second, id, 2);
                await(() -> service.counters().get(Counter.OPS_COMPLETED) == 1);
            }
            assertNull(service.asyncResult().failure());
        }
    }

    private static void await(BooleanSupplier condition) {
        Await.until(condition, () -> "the loss");
    }
}
