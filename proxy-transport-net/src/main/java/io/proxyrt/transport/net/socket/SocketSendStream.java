/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

/** A data socket that sends. */
final class SocketSendStream extends SocketStream {
    SocketSendStream(int index, SocketWire wire, SocketMessages messages) {
        super(index, wire, messages, SelectionKey.OP_WRITE);
    }

    @Override
    int transfer(ByteBuffer view) throws IOException {
        return wire.write(view);
    }
}
