/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * The connections of one thread, and its clock: dials, listens, and waits until a connection has something to do. All
 * that the bootstrap's agents know of a network, so that they also run on a simulated one. Confined to that thread, but
 * for {@link #wakeup()} and {@link #nanoTime()}.
 */
interface Poller extends AutoCloseable {
    /** As {@link System#nanoTime()}, or what passes for it. */
    long nanoTime();

    /**
     * Begins to connect.
     *
     * @param maxBodyBytes the longest body of a frame that is taken
     * @return not {@linkplain Link#finishConnect connected} yet
     */
    Link dial(InetSocketAddress to, int maxBodyBytes) throws IOException;

    /** Listens at an address, which is bound when this returns. */
    Listener listen(InetSocketAddress at, int backlog) throws IOException;

    /** Waits for a connection that is ready, for {@link #wakeup()}, or so long; runs what was to run when it is. */
    void select(long millis) throws IOException;

    /** From any thread: ends a wait, or the next one. */
    void wakeup();

    /** Does not close the connections. */
    @Override
    void close();

    /** Where connections come in. */
    interface Listener extends AutoCloseable {
        InetSocketAddress address();

        /** What to run when connections have come, or there may be some. */
        void onReady(Runnable accept);

        /** Whether that runs. */
        void listen(boolean isWanted);

        /**
         * Takes in the next connection.
         *
         * @return null if there is none, or it has ended already
         * @throws IOException if there may be one, but none can be taken in
         */
        Link accept(int maxBodyBytes) throws IOException;

        @Override
        void close();
    }
}
