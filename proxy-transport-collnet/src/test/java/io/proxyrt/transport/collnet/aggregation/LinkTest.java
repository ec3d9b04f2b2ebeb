/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.wire.CallHeader;
import io.proxyrt.transport.collnet.wire.Hello;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

/** What a switch reads of one connection. */
class LinkTest {
    private static final int BYTES = 10 * Link.FRAMES_PER_READ;

    @Test
    void shouldReadFewFramesAtATime() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(SwitchRig.ANY);
                SocketChannel sender = SocketChannel.open(server.getLocalAddress());
                SocketChannel receiver = server.accept(); Selector selector = Selector.open()) {
            sender.write(frames());
            receiver.configureBlocking(false);
            final Port port = new Port(receiver, receiver.register(selector, SelectionKey.OP_READ), new Tally());
            final Link link = new Link(port, Hello.ofParticipant(SwitchRig.newGroup(), 1, 0, RawParticipant.PATIENCE,
                    ""), "here");
            link.seal();
            while (!link.lookAhead()) {
                selector.select(key -> port.ready());
            }
            final ByteBuffer payload = ByteBuffer.allocate(BYTES);
            while (payload.hasRemaining()) {
                final int n = link.read(payload);
                assertTrue(n <= 1 + Link.FRAMES_PER_READ, n + " frames, of which the first was begun before");
                if (!port.mayRead()) {
                    selector.select(key -> port.ready());
                }
            }

            for (int i = 0; i < BYTES; i++) {
                assertEquals((byte) i, payload.get(i));
            }
        }
    }

    /** A call, cut into frames of a byte. */
    private static ByteBuffer frames() {
        final CollNetWindow window = new CollNetWindow().set(BYTES, 0, BYTES);
        final ByteBuffer header = ByteBuffer.allocate(CallHeader.BYTES);
        CallHeader.put(header, CollFunction.ALL_REDUCE, DataType.INT8, RedOp.SUM, 0, window, 1);
        final ByteBuffer frames = ByteBuffer.allocate(BYTES * (CallHeader.BYTES + 1));
        for (int i = 0; i < BYTES; i++) {
            frames.put(header.duplicate()).put((byte) i);
        }
        return frames.flip();
    }
}
