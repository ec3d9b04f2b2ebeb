/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * One socket as the data path sees it: the only place where a message's bytes enter and leave. Used by the thread that
 * drives the socket, and closed by the comm's owner when that thread is done.
 */
final class SocketWire {
    private SocketChannel channel;
    private SelectionKey key;

    SocketWire(SocketChannel channel) {
        this.channel = channel;
    }

    /** Takes what is there. Returns its bytes, 0 if there is nothing now. */
    int read(ByteBuffer into) throws IOException {
        int bytes = channel.read(into);
        if (bytes < 0) {
            throw new EOFException("it was closed by the peer");
        }
        return bytes;
    }

    /** Gives what the socket takes. Returns its bytes, 0 if there is no room now. */
    int write(ByteBuffer from) throws IOException {
        return channel.write(from);
    }

    /** Has the selector wake for these operations; always the same selector. */
    void awaitOn(Selector selector, int ops) throws ClosedChannelException {
        if (!channel.isOpen()) {
            return;
        }
        if (key == null) {
            key = channel.register(selector, ops);
        } else if (key.isValid() && key.interestOps() != ops) {
            key.interestOps(ops);
        }
    }

    /** Goes on with another socket, and closes the one before. */
    void replace(SocketChannel successor) {
        close();
        channel = successor;
        key = null;
    }

    void close() {
        SocketChannels.close(channel);
    }
}
