/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.testkit.OtherUser;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Another user of the host who has got hold of a listener's handle. */
class SocketUserTest {
    private static final Map<String, String> LOOPBACK = Map.of("net.socket.ifname", "=lo");
    private static final int PORT_OFFSET = 32;

    @BeforeAll
    static void requireAnotherUser() {
        assumeTrue(OtherUser.whyNot().isEmpty(), OtherUser::whyNot);
    }

    @Test
    void shouldNotBeLetInAndKeepTheRightfulRankOut() throws IOException {
        try (NetPlugin receiver = NetPluginConformance.network("Socket", LOOPBACK, 0);
                NetPlugin sender = NetPluginConformance.network("Socket", LOOPBACK, 1);
                NetListenComm listen = receiver.listen(0);
                OtherUser other = new OtherUser(new InetSocketAddress(InetAddress.getLoopbackAddress(),
                        listen.handle().getInt(PORT_OFFSET)))) {
            assertIsDropped(listen, sender, handle(listen, other));
            MemorySegment memory = Arena.ofAuto().allocate(8);
            try (NetConnectComm connect = sender.connect(0, listen.handle());
                    NetPair pair = NetPair.meet(connect, listen, 1, memory, memory)) {
                assertEquals("", pair.send.failure() + pair.recv.failure());
            }
        }
    }

    private static void assertIsDropped(NetListenComm listen, NetPlugin sender, ByteBuffer handle) {
        try (NetConnectComm connect = sender.connect(0, handle)) {
            ProxyException failure = assertThrows(ProxyException.class, () -> {
                while (connect.connect() == null) {
                    assertNull(listen.accept());
                    NetPair.turn();
                }
            });
            assertEquals(ProxyResult.REMOTE_ERROR, failure.result(), failure.getMessage());
            assertTrue(failure.getMessage().contains("has not taken the connection"), failure.getMessage());
        }
    }

    private static ByteBuffer handle(NetListenComm listen, OtherUser other) {
        ByteBuffer handle = listen.handle();
        ByteBuffer changed = ByteBuffer.allocate(handle.remaining()).put(handle).flip();
        return changed.putInt(PORT_OFFSET, other.address().getPort());
    }
}
