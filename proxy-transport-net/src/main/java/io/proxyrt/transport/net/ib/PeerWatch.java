/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.transport.net.socket.ControlSocket;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;

/**
 * A thread that hears on the control connections of all comms when a peer leaves: queue pairs do not tell a receiver at
 * all, and a sender only after its last retry. It sleeps until then.
 */
final class PeerWatch implements AutoCloseable {
    private static final Logger LOG = Subsystem.NET.logger();
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Runnable onTurn;
    private final Selector selector;
    private final Thread thread;
    private final Queue<Change> changes = new ConcurrentLinkedQueue<>();
    private volatile boolean isStopped;
    private volatile boolean isBroken;

    /** Has the thread that uses the comms know that a peer turned. */
    PeerWatch(int rank, Runnable onTurn) {
        this.onTurn = onTurn;
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot watch control connections: " + e, e);
        }
        thread = Thread.ofPlatform().name("proxy-ib-peers-" + rank).daemon().unstarted(this::run);
        try {
            thread.start();
        } catch (Error e) {
            close(selector);
            throw e;
        }
    }

    /** A peer whose socket is to be watched, or left to who asked. */
    private record Change(Peer peer, boolean isJoining) {
    }

    /** The other end of a connection, as far as its control connection tells. */
    static final class Peer implements AutoCloseable {
        /** It has not left. */
        private static final long PRESENT = -1;
        /** It has, without a word. */
        private static final long LOST = -2;
        /** Says so, in place of a number of messages: its end had failed. */
        static final long FAILED = -3;

        private final ControlSocket socket;
        /** A farewell, or the code of a frame: the beginning of it may have been read by the thread that watches. */
        private final ByteBuffer header = ByteBuffer.allocate(FailoverWire.HEADER_BYTES).limit(FailoverWire.CODE_BYTES);
        private volatile long left = PRESENT;
        private volatile String how = "";
        private volatile boolean hasTurned;
        private volatile boolean isReleased;
        private boolean hasSpoken;

        /** Takes the socket over. */
        Peer(ControlSocket socket) {
            this.socket = socket;
        }

        ControlSocket socket() {
            return socket;
        }

        /** For who reads the socket while it is not watched. */
        FailoverWire wire() {
            return new FailoverWire(socket.channel(), header);
        }

        /** Whether it says that its queue pairs are over; it has more to say, and is not watched any more. */
        boolean hasTurned() {
            return hasTurned;
        }

        /** Whether it is not watched, as was asked for. */
        boolean isReleased() {
            return isReleased;
        }

        String name() {
            return socket.peer();
        }

        boolean hasLeft() {
            return left != PRESENT;
        }

        /** How many messages it said it had sent; negative if it said nothing, or had failed. */
        long sent() {
            return left;
        }

        /** For people. */
        String how() {
            return how;
        }

        /**
         * Says that this end leaves, and what it has sent, or {@link #FAILED}; the peer hears the end of the connection
         * in any case.
         */
        void leave(long sent) {
            if (hasSpoken) {
                return;
            }
            hasSpoken = true;
            try {
                socket.channel().write(ByteBuffer.allocate(Long.BYTES).putLong(sent).flip());
            } catch (IOException e) {
                LOG.debug("{} was not told of the end: {}", name(), e.toString());
            }
        }

        /** Ends what this end says, where a farewell would be taken for something else. */
        void cutOff() {
            hasSpoken = true;
            try {
                socket.channel().shutdownOutput();
            } catch (IOException e) {
                LOG.debug("{} was not told of the end: {}", name(), e.toString());
            }
        }

        /** Returns whether there is nothing more to hear. */
        private boolean hear() {
            try {
                if (socket.channel().read(header) < 0) {
                    throw new EOFException();
                }
                if (header.hasRemaining()) {
                    return false;
                }
                long said = header.getLong(0);
                if (said == FailoverWire.TURN) {
                    hasTurned = true;
                } else {
                    farewell(said);
                }
            } catch (EOFException e) {
                left(LOST, "was closed by the peer, which said nothing: its process is gone");
            } catch (IOException e) {
                left(LOST, "broke: " + e.getMessage());
            }
            return true;
        }

        /** Its last words. */
        void farewell(long sent) {
            left(sent < 0 ? FAILED : sent, sent < 0 ? "was closed by the peer, after it had failed there"
                    : "was closed by the peer");
        }

        /** Its socket ended among frames. */
        void cutShort() {
            left(LOST, "ended in the middle: the peer's process is gone, or its end had failed");
        }

        /** What was heard first holds. */
        private void left(long sent, String why) {
            if (!hasLeft()) {
                how = why;
                left = sent;
            }
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    /** Begins to listen: from now on the peer has nothing to say but its farewell, or that it turned. */
    void watch(Peer peer) {
        peer.hasTurned = false;
        peer.isReleased = false;
        change(new Change(peer, true));
    }

    /** Leaves the socket to who asks, soon: see {@link Peer#isReleased}. */
    void release(Peer peer) {
        change(new Change(peer, false));
    }

    private void change(Change change) {
        changes.add(change);
        selector.wakeup();
        if (isBroken) {
            loseChanging();
        }
    }

    /** Has the selector let go of a socket that was closed: the system keeps it as long as there is a key. */
    void forgetClosed() {
        selector.wakeup();
    }

    private void run() {
        try {
            while (!isStopped) {
                selector.select(this::hear);
                for (Change change = changes.poll(); change != null; change = changes.poll()) {
                    if (change.isJoining()) {
                        join(change.peer());
                    } else {
                        leave(change.peer());
                    }
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("{} ended, and its connections fail", thread.getName(), e);
            loseAll();
        }
    }

    /** Its key is gone first, so that it can be watched again. */
    private void leave(Peer peer) throws IOException {
        SelectionKey key = peer.socket.channel().keyFor(selector);
        if (key != null) {
            key.cancel();
            selector.selectNow(this::hear);
        }
        peer.isReleased = true;
    }

    private void loseAll() {
        isBroken = true;
        if (selector.isOpen()) {
            selector.keys().forEach(key -> lose((Peer) key.attachment()));
        }
        loseChanging();
    }

    private void loseChanging() {
        for (Change change = changes.poll(); change != null; change = changes.poll()) {
            lose(change.peer());
        }
    }

    /** No peer would hear of its leaving. */
    private static void lose(Peer peer) {
        peer.left(Peer.LOST, "is not watched any more: the thread that hears of peers' leaving failed, see the log");
    }

    private void join(Peer peer) {
        try {
            peer.socket.channel().register(selector, SelectionKey.OP_READ, peer);
        } catch (IOException e) {
            LOG.debug("{} was closed before it was watched", peer.name());
        }
    }

    private void hear(SelectionKey key) {
        Peer peer = (Peer) key.attachment();
        if (peer.hear()) {
            key.cancel();
        }
        if (peer.hasTurned) {
            onTurn.run();
        }
    }

    @Override
    public void close() {
        isStopped = true;
        selector.wakeup();
        if (!Uninterruptibly.join(thread, CLOSE_TIMEOUT)) {
            LOG.warn("{} did not end within {}", thread.getName(), CLOSE_TIMEOUT);
        }
        close(selector);
    }

    private static void close(Selector selector) {
        try {
            selector.close();
        } catch (IOException e) {
            LOG.warn("a selector did not close cleanly: {}", e.toString());
        }
    }
}
