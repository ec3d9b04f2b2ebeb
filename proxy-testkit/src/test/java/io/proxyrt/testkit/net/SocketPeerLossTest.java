/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A sender whose process is killed in the middle of a message. */
class SocketPeerLossTest {
    private static final Map<String, String> LOOPBACK = Map.of("net.socket.ifname", "=lo");
    /** More than the system buffers. */
    private static final int BYTES = 32 << 20;

    /** Sends one message. Is told the handle, which is no argument: those can be read by every user. */
    static final class Sender {
        private Sender() {
        }

        public static void main(String[] args) throws IOException {
            String handle = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII)).readLine();
            NetPlugin net = NetPluginConformance.network("Socket", LOOPBACK, 7);
            NetConnectComm connect = net.connect(0, ByteBuffer.wrap(HexFormat.of().parseHex(handle)));
            NetSendComm send = null;
            while (send == null) {
                send = connect.connect();
            }
            NetMemory memory = send.regMr(Arena.ofAuto().allocate(BYTES));
            long request = send.isend(memory, 0, BYTES, 0);
            System.out.println("sending");
            while (send.test(request, new long[1]) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldFailAReceiveWhoseSenderIsKilledWithinTheMessage() throws IOException {
        try (Arena arena = Arena.ofShared(); NetPlugin net = NetPluginConformance.network("Socket", LOOPBACK, 0);
                NetListenComm listen = net.listen(0);
                ChildJvm child = sender(listen);
                NetRecvComm recv = accept(listen)) {
            MemorySegment target = arena.allocate(BYTES);
            NetMemory[] memory = {recv.regMr(target)};
            child.expect("sending");
            child.signal("STOP");
            long request = recv.irecv(1, memory, new long[1], new long[] {BYTES}, new int[1]);
            assertEquals(0, recv.test(request, new long[1]));
            child.signal("KILL");
            int result = 0;
            while (result == 0) {
                result = recv.test(request, new long[1]);
                NetPair.turn();
            }

            assertEquals(-ProxyResult.REMOTE_ERROR.code(), result);
            assertTrue(recv.failure().contains("rank 7 at 127.0.0.1:"), recv.failure());
        }
    }

    private static ChildJvm sender(NetListenComm listen) throws IOException {
        ChildJvm child = new ChildJvm(List.of(), Sender.class);
        child.tell(hex(listen.handle()));
        return child;
    }

    private static NetRecvComm accept(NetListenComm listen) {
        NetRecvComm recv = null;
        while (recv == null) {
            recv = listen.accept();
            NetPair.turn();
        }
        return recv;
    }

    private static String hex(ByteBuffer handle) {
        byte[] bytes = new byte[handle.remaining()];
        handle.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
