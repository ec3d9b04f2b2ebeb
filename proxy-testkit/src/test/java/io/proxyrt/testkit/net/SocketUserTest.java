/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.testkit.OtherUser;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.IOException;
import java.lang.foreign.Arena;
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
            try (NetSendComm send = connect(sender, listen.handle()); NetRecvComm recv = accept(listen)) {
                assertEquals("", send.failure() + recv.failure());
            }
        }
    }

    /** Its first sign is that what it sends fails. */
    private static void assertIsDropped(NetListenComm listen, NetPlugin sender, ByteBuffer handle) {
        try (NetSendComm send = connect(sender, handle); Arena arena = Arena.ofShared()) {
            NetMemory memory = send.regMr(arena.allocate(8));
            long request = 0;
            for (int result = 0; result >= 0; NetPair.turn()) {
                assertNull(listen.accept());
                request = request > 0 ? request : send.isend(memory, 0, 8, 0);
                result = request > 0 ? send.test(request, new long[1]) : (int) request;
                request = result == 1 ? 0 : request;
            }
        }
    }

    private static ByteBuffer handle(NetListenComm listen, OtherUser other) {
        ByteBuffer handle = listen.handle();
        ByteBuffer changed = ByteBuffer.allocate(handle.remaining()).put(handle).flip();
        return changed.putInt(PORT_OFFSET, other.address().getPort());
    }

    private static NetSendComm connect(NetPlugin sender, ByteBuffer handle) {
        NetSendComm send = null;
        try (NetConnectComm connect = sender.connect(0, handle)) {
            while (send == null) {
                send = connect.connect();
            }
            return send;
        }
    }

    private static NetRecvComm accept(NetListenComm listen) {
        NetRecvComm recv = null;
        while (recv == null) {
            recv = listen.accept();
            NetPair.turn();
        }
        return recv;
    }
}
