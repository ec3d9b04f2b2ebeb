/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.agent.Uninterruptibly;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;

/** What lies between ranks and a root: can be reset, and go down. */
final class Cable implements AutoCloseable {
    private static final int BUFFER_BYTES = 16 << 10;
    private static final long LONGEST_BIND_NS = 20_000_000_000L;

    private final InetSocketAddress root;
    private final InetSocketAddress address;
    private final List<Socket> ends = new ArrayList<>();
    /** Keeps the port from others while nothing listens there. */
    private final Socket place = new Socket();
    private ServerSocket server;
    private int connections;

    Cable(InetSocketAddress root) throws IOException {
        this.root = root;
        place.setReuseAddress(true);
        place.bind(Jobs.loopback());
        this.address = (InetSocketAddress) place.getLocalSocketAddress();
        up();
    }

    /** Where ranks reach the root through this. */
    InetSocketAddress address() {
        return address;
    }

    synchronized int connections() {
        return connections;
    }

    /** Resets all connections, at both ends. */
    synchronized void reset() throws IOException {
        for (final Socket end : ends) {
            reset(end);
        }
        ends.clear();
    }

    /** Those who carry bytes close it, too, when they see its end. */
    private static void reset(final Socket end) throws IOException {
        try {
            end.setSoLinger(true, 0);
        } catch (SocketException e) {
            assert end.isClosed() : e;
        }
        end.close();
    }

    /** Refuses connections from now on. */
    synchronized void down() throws IOException {
        server.close();
        reset();
    }

    final synchronized void up() throws IOException {
        server = listener(System.nanoTime() + LONGEST_BIND_NS);
        start(server);
    }

    /** An accept that is under way keeps a listener that was closed for a moment. */
    private ServerSocket listener(long deadlineNs) throws IOException {
        while (true) {
            final ServerSocket made = new ServerSocket();
            try {
                made.setReuseAddress(true);
                made.bind(address);
                return made;
            } catch (BindException e) {
                made.close();
                if (deadlineNs - System.nanoTime() < 0) {
                    throw e;
                }
                Uninterruptibly.parkNanos(1_000_000);
            }
        }
    }

    private void start(ServerSocket listening) {
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    connect(listening, listening.accept());
                }
            } catch (IOException e) {
                assert listening.isClosed() : e;
            }
        });
    }

    private synchronized void connect(ServerSocket listening, Socket rank) throws IOException {
        if (listening.isClosed()) {
            // An accept that is under way may still return what came before the close.
            reset(rank);
            return;
        }
        final Socket end = new Socket(root.getAddress(), root.getPort());
        end.setTcpNoDelay(true);
        rank.setTcpNoDelay(true);
        ends.add(rank);
        ends.add(end);
        connections++;
        Thread.ofVirtual().start(() -> copy(rank, end));
        Thread.ofVirtual().start(() -> copy(end, rank));
    }

    private static void copy(Socket from, Socket to) {
        final byte[] buffer = new byte[BUFFER_BYTES];
        try {
            for (int bytes = from.getInputStream().read(buffer); bytes >= 0;
                    bytes = from.getInputStream().read(buffer)) {
                to.getOutputStream().write(buffer, 0, bytes);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            closeBoth(from, to);
        }
    }

    private static void closeBoth(Socket from, Socket to) {
        try (from; to) {
            assert from != to;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        down();
        place.close();
    }
}
