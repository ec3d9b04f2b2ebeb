/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a recording has of a connection whose sockets are cut. */
class SocketReconnectEventTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTellThatItBrokeAndWhetherItCameBack(boolean isBack) throws IOException {
        List<RecordedEvent> events = record(() -> cut(isBack));
        assertTrue(!events.isEmpty());
        for (RecordedEvent event : events) {
            assertEquals(isBack, event.getBoolean("isBack"), event::toString);
            assertTrue(event.getString("connection").startsWith("socket 0 of the connection with "), event::toString);
            assertTrue(event.getDuration().toMillis() >= (isBack ? 0 : 50), event::toString);
        }
    }

    @Test
    void shouldTellOnceOfOneThatIsBrokenWhenItsConnectionCloses() throws IOException {
        SocketReturn repair = new SocketReturn(2, new SocketSession(null, null, null, null, "rank 7"),
                Loopback.settings());
        SocketWire wire = new SocketWire(SocketChannel.open(), null);
        List<RecordedEvent> events = record(() -> {
            repair.close();
            repair.begin(wire, new IOException("cut"));
            repair.close();
            repair.close();
        });
        assertEquals(1, events.size());
        assertFalse(events.getFirst().getBoolean("isBack"));
        assertEquals("cut", events.getFirst().getString("cause"));
        assertEquals("socket 2 of the connection with rank 7", events.getFirst().getString("connection"));
    }

    private List<RecordedEvent> record(Runnable what) throws IOException {
        Path file = directory.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.proxyrt.Reconnect");
            recording.start();
            what.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file);
    }

    private static void cut(boolean isBack) {
        CuttingProxy proxy = new CuttingProxy();
        try (Arena arena = Arena.ofShared();
                SocketNet net = Loopback.net(InetAddress.getLoopbackAddress(), Platform.find(), "net.socket.resume",
                        isBack ? "20s" : "60ms");
                NetListenComm listen = net.listen(0);
                NetConnectComm connect = net.connect(0,
                        proxy.before(SocketHandle.decode(listen.handle())).encode())) {
            NetSendComm send = null;
            NetRecvComm recv = null;
            while (send == null || recv == null) {
                proxy.pump();
                send = send == null ? connect.connect() : send;
                recv = recv == null ? listen.accept() : recv;
            }
            try (NetSendComm sender = send; NetRecvComm receiver = recv) {
                proxy.cutAll();
                proxy.refuse(!isBack);
                exchange(proxy, sender, receiver, arena.allocate(1000));
            }
        } finally {
            proxy.close();
        }
    }

    /** Until both ends have a message, or have given up. */
    private static void exchange(CuttingProxy proxy, NetSendComm send, NetRecvComm recv, MemorySegment data) {
        NetMemory sendMemory = send.regMr(data);
        NetMemory[] recvMemory = {recv.regMr(data)};
        long sending = 0;
        long receiving = 0;
        int sent = 0;
        int received = 0;
        long[] bytes = new long[1];
        while (sent == 0 || received == 0) {
            proxy.pump();
            receiving = receiving != 0 ? receiving
                    : recv.irecv(1, recvMemory, new long[1], new long[] {data.byteSize()}, new int[1]);
            sending = sending != 0 ? sending : send.isend(sendMemory, 0, data.byteSize(), 0);
            sent = sent != 0 ? sent : sending < 0 ? -1 : sending == 0 ? 0 : send.test(sending, bytes);
            received = received != 0 ? received : receiving < 0 ? -1 : receiving == 0 ? 0
                    : recv.test(receiving, bytes);
        }
    }
}
