/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
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
import org.slf4j.LoggerFactory;

/**
 * A thread that hears on the control connections of all comms when a peer leaves: queue pairs do not tell a receiver at
 * all, and a sender only after its last retry. It sleeps until then.
 */
final class PeerWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("proxyrt.net");
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Selector selector;
    private final Thread thread;
    private final Queue<Peer> joining = new ConcurrentLinkedQueue<>();
    private volatile boolean isStopped;
    private volatile boolean isBroken;

    PeerWatch(int rank) {
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

    /** The other end of a connection, as far as its control connection tells. */
    static final class Peer implements AutoCloseable {
        /** It has not left. */
        private static final long PRESENT = -1;
        /** It has, without a word. */
        private static final long LOST = -2;
        /** Says so, in place of a number of messages: its end had failed. */
        static final long FAILED = -3;

        private final ControlSocket socket;
        private final ByteBuffer farewell = ByteBuffer.allocate(Long.BYTES);
        private volatile long left = PRESENT;
        private volatile String how = "";

        /** Takes the socket over. */
        Peer(ControlSocket socket) {
            this.socket = socket;
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
            try {
                socket.channel().write(ByteBuffer.allocate(Long.BYTES).putLong(sent).flip());
            } catch (IOException e) {
                LOG.debug("{} was not told of the end: {}", name(), e.toString());
            }
        }

        /** Returns whether the connection is over. */
        private boolean hear() {
            try {
                if (socket.channel().read(farewell) < 0) {
                    throw new EOFException();
                }
                if (farewell.hasRemaining()) {
                    return false;
                }
                long sent = farewell.getLong(0);
                left(sent < 0 ? FAILED : sent, sent < 0 ? "was closed by the peer, after it had failed there"
                        : "was closed by the peer");
            } catch (EOFException e) {
                left(LOST, "was closed by the peer, which said nothing: its process is gone");
            } catch (IOException e) {
                left(LOST, "broke: " + e.getMessage());
            }
            return true;
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

    /** Begins to listen: from now on the peer has nothing to say but its farewell. */
    void watch(Peer peer) {
        joining.add(peer);
        selector.wakeup();
        if (isBroken) {
            loseJoining();
        }
    }

    /** Has the selector let go of a socket that was closed: the system keeps it as long as there is a key. */
    void forgetClosed() {
        selector.wakeup();
    }

    private void run() {
        try {
            while (!isStopped) {
                selector.select(PeerWatch::hear);
                for (Peer peer = joining.poll(); peer != null; peer = joining.poll()) {
                    join(peer);
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("{} ended, and its connections fail", thread.getName(), e);
            loseAll();
        }
    }

    private void loseAll() {
        isBroken = true;
        if (selector.isOpen()) {
            selector.keys().forEach(key -> lose((Peer) key.attachment()));
        }
        loseJoining();
    }

    private void loseJoining() {
        for (Peer peer = joining.poll(); peer != null; peer = joining.poll()) {
            lose(peer);
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

    private static void hear(SelectionKey key) {
        if (((Peer) key.attachment()).hear()) {
            key.cancel();
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
