/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static io.proxyrt.transport.net.socket.SocketChannels.LOG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetRecvComm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/** A listening socket, and the peers that connected and have yet to say the right hello. */
final class SocketListenComm implements NetListenComm {
    /** More peers than this wait in the system's backlog. */
    static final int MAX_CANDIDATES = 64;
    private static final int BACKLOG = 16_384;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SocketSettings settings;
    private final SocketReadiness readiness;
    private final ServerSocketChannel server;
    private final SocketHandle handle;
    private final List<Candidate> candidates = new ArrayList<>();

    private SocketListenComm(SocketSettings settings, SocketReadiness readiness, ServerSocketChannel server,
            SocketHandle handle) {
        this.settings = settings;
        this.readiness = readiness;
        this.server = server;
        this.handle = handle;
    }

    static SocketListenComm open(SocketSettings settings, SocketReadiness readiness, InetAddress address) {
        ServerSocketChannel server = null;
        try {
            server = ServerSocketChannel.open(SocketChannels.family(address));
            settings.applyTo(server);
            server.bind(new InetSocketAddress(address, 0), BACKLOG);
            return new SocketListenComm(settings, readiness, server, new SocketHandle(settings.rank(),
                    RANDOM.nextLong(), (InetSocketAddress) server.getLocalAddress()));
        } catch (IOException | UnsupportedOperationException e) {
            SocketChannels.close(server);
            throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                    "cannot listen on " + address.getHostAddress() + ": " + e, e);
        }
    }

    @Override
    public ByteBuffer handle() {
        return handle.encode();
    }

    @Override
    public NetRecvComm accept() {
        takeIn();
        long nowNs = System.nanoTime();
        for (int i = candidates.size() - 1; i >= 0; i--) {
            Candidate candidate = candidates.get(i);
            String why = candidate.whyNot(handle.token(), nowNs);
            if (!why.isEmpty()) {
                LOG.warn("dropped a connection from {}: {}", SocketChannels.text(candidate.address), why);
                candidates.remove(i);
                SocketChannels.close(candidate.channel);
            } else if (candidate.isComplete()) {
                candidates.remove(i);
                return candidate.toComm(readiness);
            }
        }
        return null;
    }

    @Override
    public void close() {
        SocketChannels.close(server);
        candidates.forEach(candidate -> SocketChannels.close(candidate.channel));
        candidates.clear();
    }

    private void takeIn() {
        try {
            while (candidates.size() < MAX_CANDIDATES) {
                SocketChannel channel = server.accept();
                if (channel == null) {
                    return;
                }
                welcome(channel);
            }
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                    "cannot accept on " + SocketChannels.text(handle.address()) + ": " + e, e);
        }
    }

    private void welcome(SocketChannel channel) {
        try {
            settings.applyTo(channel);
            candidates.add(new Candidate(channel, channel.getRemoteAddress(),
                    System.nanoTime() + settings.handshakeTimeoutNs()));
        } catch (IOException e) {
            LOG.warn("dropped a connection: {}", e.toString());
            SocketChannels.close(channel);
        }
    }

    /** A peer that has not said who it is. */
    private static final class Candidate {
        final SocketChannel channel;
        final SocketAddress address;
        private final long deadlineNs;
        private final ByteBuffer hello = ByteBuffer.allocate(SocketHello.BYTES);

        Candidate(SocketChannel channel, SocketAddress address, long deadlineNs) {
            this.channel = channel;
            this.address = address;
            this.deadlineNs = deadlineNs;
        }

        /** Reads on. Why the peer must go; empty as long as nothing is wrong. */
        String whyNot(long token, long nowNs) {
            try {
                if (channel.read(hello) < 0) {
                    return "it left without a hello";
                }
            } catch (IOException e) {
                return e.toString();
            }
            String why = SocketHello.whyNot(hello, token);
            return why.isEmpty() && !isComplete() && nowNs - deadlineNs >= 0 ? "it did not say who it is in time" : why;
        }

        boolean isComplete() {
            return !hello.hasRemaining();
        }

        NetRecvComm toComm(SocketReadiness readiness) {
            return new SocketRecvComm(channel, SocketChannels.peer(SocketHello.rank(hello), address), readiness);
        }
    }
}
