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
    SocketRecvStream(int index, SocketWire wire, SocketMessages messages, SocketReturn repair) {
        super(index, wire, messages, repair);
    }

    @Override
    int transfer(ByteBuffer view) throws IOException {
        return wire.read(view);
    }

    @Override
    void idle() {
        // If the socket broke, the sender will see it and dial again.
    }

    @Override
    int awaitedOps(boolean isBusy) {
        return isBusy ? SelectionKey.OP_READ : 0;
    }

    @Override
    boolean isRestored() throws IOException {
        return repair.advance(wire, cursor, 0);
    }
}
