/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;

/** The connections of sockets, by a selector. */
final class SocketPoller implements Poller {
    private final Selector selector;

    SocketPoller() throws IOException {
        selector = Selector.open();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Link dial(InetSocketAddress to, int maxBodyBytes) throws IOException {
        final SocketChannel channel = SocketChannel.open();
        try {
            final SocketLink link = new SocketLink(channel, selector, maxBodyBytes);
            link.connect(to);
            return link;
        } catch (UnsupportedAddressTypeException e) {
            channel.close();
            throw new IOException("an address of another kind than this host has", e);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public Listener listen(InetSocketAddress at, int backlog) throws IOException {
        final ServerSocketChannel server = ServerSocketChannel.open();
        try {
            server.bind(at, backlog);
            return new SocketListener(server);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** A socket that listens. */
    private final class SocketListener implements Listener {
        private final ServerSocketChannel server;
        private final InetSocketAddress address;
        private final SelectionKey key;
        private Runnable accept = () -> { };

        SocketListener(ServerSocketChannel server) throws IOException {
            this.server = server;
            this.address = (InetSocketAddress) server.getLocalAddress();
            server.configureBlocking(false);
            this.key = server.register(selector, SelectionKey.OP_ACCEPT, this);
        }

        @Override
        public InetSocketAddress address() {
            return address;
        }

        @Override
        public void onReady(Runnable what) {
            accept = what;
        }

        void ready() {
            if (key.isValid()) {
                accept.run();
            }
        }

        @Override
        public void listen(boolean isWanted) {
            key.interestOps(isWanted ? SelectionKey.OP_ACCEPT : 0);
        }

        @Override
        public Link accept(int maxBodyBytes) throws IOException {
            final SocketChannel channel = server.accept();
            return channel == null ? null : taken(channel, maxBodyBytes);
        }

        private Link taken(SocketChannel channel, int maxBodyBytes) throws IOException {
            try {
                return new SocketLink(channel, selector, maxBodyBytes);
            } catch (IOException e) {
                channel.close();
                BootstrapRoot.LOG.debug("a connection ended as it was accepted", e);
                return null;
            }
        }

        @Override
        public void close() {
            try {
                server.close();
            } catch (IOException e) {
                BootstrapRoot.LOG.debug("closing {} failed", address, e);
            }
        }
    }

    @Override
    public void select(long millis) throws IOException {
        selector.select(SocketPoller::ready, Math.max(1, millis));
    }

    private static void ready(SelectionKey key) {
        if (key.attachment() instanceof SocketLink link) {
            link.ready();
        } else if (key.attachment() instanceof SocketListener listener) {
            listener.ready();
        }
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    /** How many connections and listeners there are. */
    int keys() {
        return selector.keys().size();
    }

    @Override
    public void close() {
        try {
            selector.close();
        } catch (IOException e) {
            BootstrapRoot.LOG.debug("closing a selector failed", e);
        }
    }
}
