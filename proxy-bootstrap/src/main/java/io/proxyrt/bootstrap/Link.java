/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Frames over one connection. Confined to the thread of its {@link Poller}; nothing here blocks. */
interface Link extends AutoCloseable {
    /** Gets what comes: a message, and the frame in which it came, whose bytes are not to be changed. */
    @FunctionalInterface
    interface Sink {
        void accept(Message message, ByteBuffer frame);
    }

    /** What to run when the connection has been made, has something to read, or takes more again. */
    void onReady(Runnable what);

    /** Whether that runs because there is something to read. */
    boolean isReadable();

    /** Whether that runs because the connection takes more. */
    boolean isWritable();

    /**
     * Whether the connection is there.
     *
     * @throws IOException if it cannot be made
     */
    boolean finishConnect() throws IOException;

    /** The longest body of a frame that is taken from now on. */
    void maxBodyBytes(int bytes);

    /** The first bytes that came, for a log. */
    byte[] preview();

    long queuedBytes();

    /** All that has come. */
    long readBytes();

    SocketAddress localAddress();

    SocketAddress remoteAddress();

    boolean isOpen();

    /**
     * Hands over the frames that are there, within a budget: the poller reports the rest again.
     *
     * @return false at the end of the stream
     * @throws io.proxyrt.core.ProxyException {@code REMOTE_ERROR} for bytes that are no frame; the link is of no use
     *                                        any more
     */
    boolean read(Sink sink) throws IOException;

    /** As above, for messages alone. */
    default boolean read(Consumer<Message> sink) throws IOException {
        return read((message, _) -> sink.accept(message));
    }

    /** Queues a frame; sent by {@link #flush()}. */
    void offer(ByteBuffer frame);

    /** Writes what the connection takes, nothing before it is made; returns whether nothing is left. */
    boolean flush() throws IOException;

    void shutdownOutput() throws IOException;

    /** Closes the connection; idempotent, and drops what was queued. */
    @Override
    void close();
}
