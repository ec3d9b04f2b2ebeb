/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.platform.StreamSocket;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * The connection of a comm with its switch: the only place where bytes enter and leave. The JDK's gathering write
 * allocates for buffers that belong to an arena, so the platform makes that call where it can. One thread.
 */
final class SwitchSocket implements AutoCloseable {
    private final SocketChannel channel;
    /** Null where the channel makes all calls. */
    private final StreamSocket beside;
    /** Of the selector that a thread sleeps in; null before one does. */
    private SelectionKey key;

    /** Over a connected channel, and perhaps what the platform has of it; both are the socket's from now on. */
    SwitchSocket(SocketChannel channel, StreamSocket beside) {
        this.channel = channel;
        this.beside = beside;
    }

    /** Takes what is there. Returns its bytes, 0 if there is nothing now. */
    int read(ByteBuffer into) throws IOException {
        int bytes = channel.read(into);
        if (bytes < 0) {
            throw new EOFException("it closed the connection");
        }
        return bytes;
    }

    /** Gives what the socket takes. Returns its bytes, 0 if there is no room now. */
    int write(ByteBuffer from) throws IOException {
        return channel.write(from);
    }

    /** Whether {@link #write(ByteBuffer, MemorySegment, MemorySegment, long, int)} can be called. */
    boolean isGathering() {
        return beside != null;
    }

    /**
     * Gives what the socket takes of a buffer, whose memory is the segment, and of what follows it from a place of its
     * own. Returns how many bytes were taken of both; the buffer's position is behind those that were its own.
     */
    int write(ByteBuffer from, MemorySegment memory, MemorySegment body, long offset, int bytes) throws IOException {
        int taken = beside.send(memory, from.position(), from.remaining(), body, offset, bytes);
        if (taken == 0) {
            // Full or broken: the channel knows.
            return channel.write(from);
        }
        from.position(from.position() + Math.min(taken, from.remaining()));
        return taken;
    }

    /** Has a selector wait for bytes, and for room if so. Returns false if the connection is closed. */
    boolean awaitOn(Selector selector, boolean isWriting) throws ClosedChannelException {
        if (!channel.isOpen()) {
            return false;
        }
        int ops = isWriting ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        if (key == null) {
            key = channel.register(selector, ops);
        } else if (key.interestOps() != ops) {
            key.interestOps(ops);
        }
        return true;
    }

    @Override
    public void close() {
        if (beside != null) {
            beside.close();
        }
        SwitchSettings.close(channel);
    }
}
