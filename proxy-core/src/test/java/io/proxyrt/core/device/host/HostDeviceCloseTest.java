/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class HostDeviceCloseTest {
    @Test
    void shouldFreeTheRestWhereACallStillUsesSome() throws Exception {
        HostDevice device = new HostDevice(0);
        List<DeviceMemory> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            all.add(device.allocate(64));
        }
        DeviceMemory busy = all.remove(7);
        try (AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                AsynchronousSocketChannel client = AsynchronousSocketChannel.open()) {
            Future<AsynchronousSocketChannel> accepted = server.accept();
            client.connect(server.getLocalAddress()).get();
            try (AsynchronousSocketChannel peer = accepted.get()) {
                Future<Integer> read = client.read(busy.segment().asByteBuffer());
                assertFalse(read.isDone());

                ProxyException inUse = assertThrows(ProxyException.class, device::close);

                assertEquals(ProxyResult.INVALID_USAGE, inUse.result());
                assertTrue(busy.segment().scope().isAlive());
                all.forEach(memory -> assertFalse(memory.segment().scope().isAlive(), memory.toString()));
                peer.shutdownOutput();
                assertEquals(-1, read.get());
            }
        }
        device.close();
        assertFalse(busy.segment().scope().isAlive());
    }

    @Test
    void shouldGiveNothingOnceItIsClosed() {
        HostDevice device = new HostDevice(0);
        device.close();
        assertClosed(() -> device.allocate(64));
        assertClosed(() -> device.allocateHost(64));
        assertClosed(() -> device.stream("late"));
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(64);
            assertClosed(() -> device.register(memory));
            assertTrue(memory.scope().isAlive());
        }
        assertThrows(ProxyException.class, () -> device.memory(1));
        device.close();
    }

    private static void assertClosed(Executable call) {
        ProxyException closed = assertThrows(ProxyException.class, call);
        assertEquals(ProxyResult.INVALID_USAGE, closed.result());
        assertTrue(closed.getMessage().contains("host:0 is closed"), closed.getMessage());
    }
}
