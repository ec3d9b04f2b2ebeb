/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.PeerMemory;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.DeregisterRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.RegisterRequest;
import io.proxyrt.core.service.message.RegisterRequest.Source;
import io.proxyrt.core.service.message.SetupRequest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that a rank registers with its peer's proxy, for kernels there. */
class PeerMemoryTest {
    private static final int SHM = 1;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    @TempDir
    Path directory;

    @Test
    void shouldReachMemoryOfAPeerUntilThatDeregistersItOrIsGone() {
        try (TransportPair pair = new TransportPair("SHM", directory, Map.of("peer.grace", "0"))) {
            PeerMemory found = pair.connect(0).sender().peerMemory();
            ProxyState owner = pair.ranks.getLast();
            ServiceClient client = owner.client(pair.ranks.getFirst().serviceAddress());
            DeviceMemory memory = owner.device().allocateShareable(8192);
            memory.segment().setString(4096 + 8, "in place");
            long id = connect(client);
            long handle = register(pair, client, id, memory);
            MemorySegment range = found.find(handle);
            assertEquals(4096, range.byteSize());
            assertEquals("in place", range.getString(8));
            range.setString(8, "written in place");
            assertEquals("written in place", memory.segment().getString(4096 + 8));

            client.callBlocking(id, new DeregisterRequest(handle), TransportPair.TIMEOUT);
            assertNull(found.find(handle));
            long last = register(pair, client, id, memory);
            assertNotNull(found.find(last));
            client.close();
            pair.leave();
            long deadline = System.nanoTime() + TransportPair.TIMEOUT.toNanos();
            while (found.size() > 0) {
                Thread.onSpinWait();
                assertTrue(System.nanoTime() - deadline < 0, "memory of a rank that is gone");
            }
        }
    }

    /** A connection for memory only: there is nothing to say. */
    private static long connect(ServiceClient client) {
        long id = client.callBlocking(0, new InitRequest(SHM, Direction.SEND, 0), TransportPair.TIMEOUT)
                .connectionId();
        client.callBlocking(id, new SetupRequest(NOTHING), TransportPair.TIMEOUT);
        client.callBlocking(id, new ConnectRequest(NOTHING), TransportPair.TIMEOUT);
        return id;
    }

    private static long register(TransportPair pair, ServiceClient client, long id, DeviceMemory memory) {
        ProxyState owner = pair.ranks.getLast();
        try (OwnedFd fd = owner.device().exportFd(memory)) {
            int number = owner.memory().queryFd(pair.ranks.getFirst().memory().address(), TransportPair.TIMEOUT,
                    List.of(fd))[0];
            return client.callBlocking(id, new RegisterRequest(Source.FD, number, 4096, 4096), TransportPair.TIMEOUT);
        }
    }
}
