/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** One attempt to connect a socket and to say hello on it. */
final class SocketDial implements AutoCloseable {
    private final ByteBuffer hello;
    private SocketChannel channel;

    SocketDial(SocketSettings settings, InetSocketAddress address, ByteBuffer hello) throws IOException {
        this.hello = hello;
        this.channel = SocketChannel.open(SocketChannels.family(address.getAddress()));
        try {
            settings.applyTo(channel);
            channel.connect(address);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Goes on, without blocking. Returns whether the hello is out. */
    boolean advance() throws IOException {
        if (!channel.isConnected() && !channel.finishConnect()) {
            return false;
        }
        channel.write(hello);
        return !hello.hasRemaining();
    }

    /** The socket, which is the caller's from now on. */
    SocketChannel take() {
        SocketChannel taken = channel;
        channel = null;
        return taken;
    }

    /** The socket, which stays with the dial. */
    SocketChannel channel() {
        return channel;
    }

    @Override
    public void close() {
        SocketChannels.close(channel);
        channel = null;
    }
}
