/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

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
}
