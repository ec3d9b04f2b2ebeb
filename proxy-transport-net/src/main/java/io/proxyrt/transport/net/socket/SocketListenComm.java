/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.transport.net.socket.SocketCandidates.AcceptedSocket;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetRecvComm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** A listening socket, and the connections that have some of their sockets. */
final class SocketListenComm implements NetListenComm {
    /** Connections that may be incomplete at a time. */
    private static final int MAX_PARTIES = 64;

    private final SocketSettings settings;
    private final SocketCommFactory factory;
    private final SocketHandle handle;
    private final SocketCandidates candidates;
    private final Map<UUID, Party> parties = new HashMap<>();
    private final Set<UUID> accepted = new HashSet<>();
    private boolean isFailing;

    private SocketListenComm(SocketSettings settings, SocketCommFactory factory, ServerSocketChannel server,
            SocketHandle handle) {
        this.settings = settings;
        this.factory = factory;
        this.handle = handle;
        this.candidates = new SocketCandidates(settings, server,
                id -> new SocketSession(id, handle.token(), handle.terms(), null, ""));
    }

    static SocketListenComm open(SocketSettings settings, SocketCommFactory factory, InetAddress address,
            SocketTerms terms) {
        try {
            int resumePort = terms.isResumable() ? factory.keeper().listen(address) : 0;
            ServerSocketChannel server = SocketCandidates.listen(settings, address);
            return new SocketListenComm(settings, factory, server, new SocketHandle(settings.rank(),
                    SocketToken.random(), (InetSocketAddress) server.getLocalAddress(), resumePort, terms));
        } catch (IOException | UnsupportedOperationException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot listen on " + address.getHostAddress() + ", "
                    + settings.ports() + ": " + e + DescriptorLimit.advice(e, ""), e);
        }
    }

    @Override
    public ByteBuffer handle() {
        return handle.encode();
    }

    @Override
    public NetRecvComm accept() {
        try {
            for (AcceptedSocket socket = candidates.next(); socket != null; socket = candidates.next()) {
                Party party = place(socket);
                NetRecvComm comm = party == null || party.missing > 0 ? null : takeIn(party, socket);
                if (comm != null) {
                    return comm;
                }
            }
            dropLate();
        } catch (ClosedChannelException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                    "cannot accept on " + SocketChannels.text(handle.address()) + ": " + e, e);
        } catch (IOException e) {
            // No descriptor is left: the caller's accept has a deadline, and until then a descriptor may be freed.
            if (!isFailing) {
                SocketChannels.LOG.warn("rank {} cannot accept on {}, and goes on trying: {}", settings.rank(),
                        SocketChannels.text(handle.address()), e + DescriptorLimit.advice(e, ""));
            }
            isFailing = true;
        }
        return null;
    }

    /** A connection with all its sockets, which are the listener's until then; null if its connector has left. */
    private NetRecvComm takeIn(Party party, AcceptedSocket last) {
        SocketHello hello = last.hello();
        SocketSession session = new SocketSession(hello.session(), handle.token(), hello.terms(), null,
                SocketChannels.peer(hello.rank(), last.address()));
        accepted.add(hello.session());
        NetRecvComm comm = party.answer(session) ? factory.receiver(party.channels, session) : null;
        parties.remove(hello.session());
        return comm;
    }

    @Override
    public void close() {
        candidates.close();
        parties.values().forEach(Party::close);
        parties.clear();
    }

    /** Returns the connection that the socket now belongs to; null if it was turned away. */
    private Party place(AcceptedSocket socket) {
        SocketHello hello = socket.hello();
        String why = whyNot(hello);
        if (!why.isEmpty()) {
            socket.turnAway(why);
            return null;
        }
        Party party = parties.computeIfAbsent(hello.session(), session -> new Party(hello.terms(),
                System.nanoTime() + settings.setUp().connectTimeoutNs()));
        party.add(hello.index(), socket.channel());
        return party;
    }

    private String whyNot(SocketHello hello) {
        SocketTerms ours = handle.terms();
        if (hello.attempt() != 0 || accepted.contains(hello.session())) {
            return "its session " + hello.session() + " is set up already";
        }
        if (hello.terms().sockets() != ours.sockets() || hello.index() < 0 || hello.index() > ours.sockets()) {
            return "it is socket " + hello.index() + " of " + hello.terms().sockets() + " data sockets, not of "
                    + ours.sockets();
        }
        int flags = hello.terms().flags();
        if ((flags & ~SocketHandle.KNOWN_FLAGS) != 0 || !ours.isResumable() && hello.terms().isResumable()
                || ours.isChecked() && !hello.terms().isChecked()) {
            return "its flags are " + flags + ", ours " + ours.flags();
        }
        Party party = parties.get(hello.session());
        if (party == null) {
            return parties.size() < MAX_PARTIES ? "" : "there are " + MAX_PARTIES + " incomplete connections";
        }
        if (!party.terms.equals(hello.terms())) {
            return "its flags are not those of its other sockets";
        }
        return party.channels[hello.index()] == null ? "" : "there is a socket " + hello.index() + " already";
    }

    private void dropLate() {
        if (parties.isEmpty()) {
            return;
        }
        long nowNs = System.nanoTime();
        parties.values().removeIf(party -> party.isDroppedAt(nowNs, settings.rank()));
    }

    /** A connection that lacks sockets. */
    private static final class Party {
        final SocketTerms terms;
        final SocketChannel[] channels;
        int missing;
        private final long deadlineNs;

        Party(SocketTerms terms, long deadlineNs) {
            this.terms = terms;
            this.channels = new SocketChannel[terms.sockets() + 1];
            this.missing = channels.length;
            this.deadlineNs = deadlineNs;
        }

        void add(int index, SocketChannel channel) {
            channels[index] = channel;
            missing--;
        }

        /** Tells the connector that it may send. False if it has left: nothing was sent. */
        boolean answer(SocketSession session) {
            try {
                ByteBuffer answer = SocketAnswer.encode(session, terms.sockets(), 0, new SocketCursor(), 0);
                channels[terms.sockets()].write(answer);
                if (answer.hasRemaining()) {
                    throw new IOException("a new socket takes no answer");
                }
                return true;
            } catch (IOException e) {
                SocketChannels.LOG.warn("{} was dropped before it was told that it is accepted: {}", session.peer(),
                        e.toString());
                close();
                return false;
            }
        }

        boolean isDroppedAt(long nowNs, int rank) {
            if (nowNs - deadlineNs < 0) {
                return false;
            }
            SocketChannels.LOG.warn("rank {} dropped a connection: {} of its {} sockets did not come in time", rank,
                    missing, channels.length);
            close();
            return true;
        }

        void close() {
            for (SocketChannel channel : channels) {
                SocketChannels.close(channel);
            }
        }
    }
}
