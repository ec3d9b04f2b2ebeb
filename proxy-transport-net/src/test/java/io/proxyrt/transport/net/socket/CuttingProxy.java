/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Stands between a sender and a receiver, and cuts each connection after as many bytes as it is told. It has no thread:
 * the test pumps.
 */
final class CuttingProxy implements AutoCloseable {
    /** As a limit: never. */
    static final int NEVER = Integer.MAX_VALUE;

    private final List<Listener> listeners = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private IntSupplier limits = () -> NEVER;
    private int cuts;
    private int flipAt = NEVER;
    private boolean isRefusing;
    private int refusals;

    private record Listener(ServerSocketChannel server, InetSocketAddress target) {
    }

    /** A handle that leads here, and from here to where the other one leads. */
    SocketHandle before(SocketHandle handle) {
        int resumePort = handle.resumePort() == 0 ? 0 : open(handle.resumeAddress());
        return new SocketHandle(handle.rank(), handle.token(),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), open(handle.address())), resumePort,
                handle.terms());
    }

    /** How many bytes each connection from now on carries, both ways together. */
    void limit(IntSupplier limits) {
        this.limits = limits;
    }

    /** Cuts every connection that there is. */
    void cutAll() {
        links.forEach(Link::cut);
        links.clear();
    }

    /** Cuts one of them; they are in the order in which they came. */
    void cut(int link) {
        links.remove(link).cut();
    }

    /** From now on no connection gets through, or all do again. */
    void refuse(boolean isRefusing) {
        this.isRefusing = isRefusing;
    }

    /** How many did not get through. */
    int refusals() {
        return refusals;
    }

    /** Changes a bit of the first byte that comes after a number of bytes, on each connection. */
    void flipAfter(int bytes) {
        flipAt = bytes;
    }

    /** Connections that go through now. */
    int links() {
        return links.size();
    }

    /** Bytes that these have carried so far. */
    int carried() {
        return links.stream().mapToInt(link -> link.carried).sum();
    }

    int cuts() {
        return cuts;
    }

    /** Moves what can move. */
    void pump() {
        try {
            for (Listener listener : listeners) {
                for (SocketChannel from = listener.server.accept(); from != null; from = listener.server.accept()) {
                    takeIn(from, listener.target);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        links.removeIf(link -> !link.isAlive());
    }

    @Override
    public void close() {
        limits = () -> NEVER;
        cutAll();
        listeners.forEach(listener -> SocketChannels.close(listener.server));
    }

    private int open(InetSocketAddress target) {
        try {
            ServerSocketChannel server = ServerSocketChannel.open();
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).configureBlocking(false);
            listeners.add(new Listener(server, target));
            return ((InetSocketAddress) server.getLocalAddress()).getPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void takeIn(SocketChannel from, InetSocketAddress target) throws IOException {
        if (isRefusing) {
            refusals++;
            from.close();
            return;
        }
        SocketChannel to = SocketChannel.open(target);
        for (SocketChannel channel : List.of(from, to)) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        links.add(new Link(from, to, limits.getAsInt()));
    }

    /** A connection that goes through. */
    private final class Link {
        private final SocketChannel from;
        private final SocketChannel to;
        private final ByteBuffer forth = ByteBuffer.allocate(64 << 10).limit(0);
        private final ByteBuffer back = ByteBuffer.allocate(4 << 10).limit(0);
        private int left;
        private int carried;

        Link(SocketChannel from, SocketChannel to, int limit) {
            this.from = from;
            this.to = to;
            this.left = limit;
        }

        boolean isAlive() {
            try {
                if (carry(from, to, forth) && carry(to, from, back) && left > 0) {
                    return true;
                }
            } catch (IOException e) {
                // One side is gone; so is the other.
            }
            cut();
            return false;
        }

        void cut() {
            cuts += left == 0 ? 1 : 0;
            SocketChannels.close(from);
            SocketChannels.close(to);
        }

        private boolean carry(SocketChannel in, SocketChannel out, ByteBuffer buffer) throws IOException {
            if (!buffer.hasRemaining()) {
                buffer.clear().limit(Math.min(buffer.capacity(), left));
                int bytes = in.read(buffer);
                buffer.flip();
                if (bytes < 0) {
                    return false;
                }
                flip(buffer);
                left -= left == NEVER ? 0 : bytes;
            }
            out.write(buffer);
            return true;
        }

        private void flip(ByteBuffer buffer) {
            int at = flipAt - carried;
            if (at >= 0 && at < buffer.limit()) {
                buffer.put(at, (byte) (buffer.get(at) ^ 4));
            }
            carried += buffer.limit();
        }
    }
}
