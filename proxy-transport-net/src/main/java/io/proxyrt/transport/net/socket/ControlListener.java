/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.transport.net.socket.SocketCandidates.AcceptedSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** Waits for control connections. Service thread. */
public final class ControlListener implements AutoCloseable {
    private final SocketHandle handle;
    private final SocketCandidates candidates;
    private final Set<UUID> accepted = new HashSet<>();
    private boolean isFailing;

    ControlListener(SocketSettings settings, ServerSocketChannel server, SocketHandle handle) {
        this.handle = handle;
        this.candidates = new SocketCandidates(settings, server,
                id -> new SocketSession(id, handle.token(), handle.terms(), null, ""));
    }

    /**
     * What a peer needs for {@link ControlSockets#dial}. It is secret.
     *
     * @return a fresh read-only view
     */
    public ByteBuffer handle() {
        return handle.encode();
    }

    /**
     * Takes in a peer that has proven to hold the handle; others are turned away. Does not block.
     *
     * @return owned by the caller; null if there is none now
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the listening socket no longer works
     */
    public ControlSocket accept() {
        try {
            for (AcceptedSocket socket = candidates.next(); socket != null; socket = candidates.next()) {
                SocketHello hello = socket.hello();
                if (hello.attempt() == 0 && hello.index() == 0 && hello.terms().equals(handle.terms())
                        && accepted.add(hello.session())) {
                    return new ControlSocket(socket.channel(), hello.rank(),
                            SocketChannels.peer(hello.rank(), socket.address()), hello.session(), handle.token());
                }
                socket.turnAway("its session " + hello.session() + " is set up already, or carries data");
            }
        } catch (ClosedChannelException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                    "cannot accept on " + SocketChannels.text(handle.address()) + ": " + e, e);
        } catch (IOException e) {
            tell(e);
        }
        return null;
    }

    /** No descriptor is left: who accepts has a deadline, and until then a descriptor may be freed. */
    private void tell(IOException e) {
        if (!isFailing) {
            SocketChannels.LOG.warn("rank {} cannot accept on {}, and goes on trying: {}", handle.rank(),
                    SocketChannels.text(handle.address()), e + DescriptorLimit.advice(e, ""));
        }
        isFailing = true;
    }

    /** Stops waiting. Idempotent. */
    @Override
    public void close() {
        candidates.close();
    }
}
