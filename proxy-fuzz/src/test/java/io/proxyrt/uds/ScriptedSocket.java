/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.platform.Poller;
import io.proxyrt.core.platform.UnixSockets;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** The one peer that a service ever has, with what it says and sends; and the listener and poller that report it. */
final class ScriptedSocket implements UnixSockets.Socket, Poller {
    private static final int SOCKET = 7;
    private static final int LISTENER = 6;

    private final Queue<Piece> pieces = new ArrayDeque<>();
    private final List<byte[]> sent = new ArrayList<>();
    private boolean isAccepted;
    private boolean isOver;
    private int room = Integer.MAX_VALUE;

    private record Piece(ByteBuffer bytes, List<OwnedFd> fds) {
    }

    void say(byte[] bytes, List<OwnedFd> fds) {
        pieces.add(new Piece(ByteBuffer.wrap(bytes), fds));
    }

    /** It goes away once it has said all. */
    void end() {
        isOver = true;
    }

    /** How many bytes it takes from now on before it reads no more. */
    void room(int bytes) {
        room = bytes;
    }

    /** What the service answered; taken off. */
    byte[] answer() {
        return sent.removeFirst();
    }

    /** What never arrived. */
    void closeUnread() {
        pieces.forEach(piece -> piece.fds().forEach(OwnedFd::close));
    }

    /** Where it is found, once. */
    UnixSockets.Listener listener() {
        return new UnixSockets.Listener() {
            @Override
            public int number() {
                return LISTENER;
            }

            @Override
            public UnixSockets.Socket accept() {
                boolean isNew = !isAccepted;
                isAccepted = true;
                return isNew ? ScriptedSocket.this : null;
            }

            @Override
            public void close() {
                isAccepted = true;
            }
        };
    }

    @Override
    public int number() {
        return SOCKET;
    }

    @Override
    public UnixSockets.Credentials peer() {
        return new UnixSockets.Credentials(1, 0, 0);
    }

    @Override
    public int send(ByteBuffer bytes, List<OwnedFd> fds) {
        if (room == 0) {
            return 0;
        }
        byte[] taken = new byte[Math.min(room, bytes.remaining())];
        bytes.get(taken);
        room -= taken.length;
        sent.add(taken);
        return taken.length;
    }

    @Override
    public int receive(ByteBuffer bytes, Consumer<OwnedFd> fds) {
        Piece piece = pieces.peek();
        if (piece == null) {
            return isOver ? UnixSockets.END : 0;
        }
        if (!piece.fds().isEmpty()) {
            piece.fds().forEach(fds);
            piece.fds().clear();
        }
        int count = Math.min(bytes.remaining(), piece.bytes().remaining());
        bytes.put(piece.bytes().slice(piece.bytes().position(), count));
        piece.bytes().position(piece.bytes().position() + count);
        if (!piece.bytes().hasRemaining()) {
            pieces.remove();
        }
        return count;
    }

    @Override
    public void watch(int number, boolean isRead, boolean isWrite) {
        // Everything is reported each time.
    }

    @Override
    public void remove(int number) {
        // Reported or not, the service knows it no more.
    }

    @Override
    public int poll(long maxNs, IntConsumer ready) {
        ready.accept(LISTENER);
        ready.accept(SOCKET);
        return 2;
    }

    @Override
    public void wakeup() {
        // No thread sleeps.
    }

    @Override
    public void close() {
        isOver = true;
    }
}
