/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

/** A data socket that receives. */
final class SocketRecvStream extends SocketStream {
    SocketRecvStream(int index, SocketWire wire, SocketMessages messages) {
        super(index, wire, messages, SelectionKey.OP_READ);
    }

    @Override
    int transfer(ByteBuffer view) throws IOException {
        return wire.read(view);
    }
}
