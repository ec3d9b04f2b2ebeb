/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ControlSocketsTest {
    /** Of a handle: where its token is. */
    private static final int TOKEN = 16;

    private final ControlSockets sockets = ControlSockets.of(ProxyConfig.builder().environment(Map.of())
            .set("net.socket.ifname", "=lo").build(), 3);

    private static boolean isOver(SocketChannel channel) throws IOException {
        try {
            return channel.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** Its hello is right in all but the proof; a peer that gets a socket here has a queue pair set up for it. */
    @Test
    void shouldTurnAwayWhoHasAnotherToken() throws IOException {
        try (ControlListener listener = sockets.listen()) {
            ByteBuffer forged = ByteBuffer.allocate(listener.handle().remaining()).put(listener.handle()).flip();
            forged.put(TOKEN, (byte) (forged.get(TOKEN) ^ 1));
            try (ControlDial dial = sockets.dial(forged)) {
                ControlSocket socket = null;
                while (socket == null) {
                    assertNull(listener.accept());
                    socket = dial.connect();
                }
                while (!isOver(socket.channel())) {
                    assertNull(listener.accept());
                    Thread.onSpinWait();
                }
                socket.close();
            }
        }
    }

    @Test
    void shouldTakeInWhoHasTheHandle() {
        try (ControlListener listener = sockets.listen(); ControlDial dial = sockets.dial(listener.handle())) {
            ControlSocket there = null;
            ControlSocket here = null;
            while (here == null || there == null) {
                here = here == null ? dial.connect() : here;
                there = there == null ? listener.accept() : there;
                Thread.onSpinWait();
            }
            assertEquals(3, there.rank());
            here.close();
            there.close();
        }
    }
}
