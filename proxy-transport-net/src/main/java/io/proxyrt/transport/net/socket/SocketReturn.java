/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.transport.net.socket.SocketCandidates.AcceptedSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The receiver's repair: takes a socket that the sender dialled again and that the keeper let in, whether or not the
 * old one is known to be broken, and says on it how far it is.
 */
final class SocketReturn extends SocketRepair {
    private final AtomicReference<AcceptedSocket> offer = new AtomicReference<>();
    /** The newest attempt that was let in; the keeper's. */
    private int newest;

    SocketReturn(int index, SocketSession session, SocketSettings settings) {
        super(index, session, settings);
    }

    /** Keeper's thread: hands over a socket for this place. */
    void offer(AcceptedSocket socket) {
        if (socket.hello().attempt() <= newest) {
            socket.turnAway("its attempt " + socket.hello().attempt() + " is not newer than " + newest);
            return;
        }
        newest = socket.hello().attempt();
        AcceptedSocket older = offer.getAndSet(socket);
        if (older != null) {
            older.turnAway("a newer attempt came");
        }
    }

    /** Whether a socket waits to be taken. Any thread. */
    boolean isOffered() {
        return offer.get() != null;
    }

    @Override
    boolean isDue() {
        return isOffered() || super.isDue();
    }

    @Override
    boolean restore(SocketWire wire, SocketCursor cursor, long complete) {
        AcceptedSocket socket = isOffered() ? offer.getAndSet(null) : null;
        if (socket == null) {
            return false;
        }
        wire.replace(socket.channel());
        ByteBuffer answer = SocketAnswer.encode(session, index, socket.hello().attempt(), cursor, complete);
        try {
            socket.channel().write(answer);
            if (answer.hasRemaining()) {
                throw new IOException("a new socket takes no answer");
            }
            renewBudget();
            return true;
        } catch (IOException e) {
            begin(wire, e);
            return false;
        }
    }

    @Override
    void letGo() {
        AcceptedSocket socket = offer.getAndSet(null);
        if (socket != null) {
            SocketChannels.close(socket.channel());
        }
    }
}
