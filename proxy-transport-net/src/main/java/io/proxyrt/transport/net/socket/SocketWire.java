/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.platform.StreamSocket;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * One socket as the data path sees it: the only place where a message's bytes enter and leave. Used by the thread that
 * drives the socket, and closed by the comm's owner when that thread is done.
 *
 * <p>Bytes go one way, so TCP has nothing to put its acknowledgement on: it goes out by itself, from within the call
 * that takes the bytes out of the socket, and costs a microsecond and a half before the caller has them. So a wire that
 * has the platform beside it only peeks at small messages, and takes them out a little later, when the caller that
 * waited for them is likely to have answered.
 */
final class SocketWire {
    /** A read that brings more than this is not worth a second call. */
    private static final int PEEK_BYTES = 8 << 10;
    /** Reads in vain before what was peeked at is taken out. */
    private static final int PATIENCE = 4;

    /** Receives the byte of a peek that only asks whether the socket is readable; its value is not used. */
    private static final MemorySegment PROBE = Arena.global().allocate(1);

    private SocketChannel channel;
    /** Null where channels make all calls. */
    private StreamSocket beside;
    private SelectionKey key;
    /** Bytes that were given to the caller and are still in the socket. */
    private int owed;
    private int patience;
    /** The last bytes were many, or went where they belong without being looked at. */
    private boolean isBulk;

    /** A wire over a connected channel; both are the wire's. */
    SocketWire(SocketChannel channel, StreamSocket beside) {
        this.channel = channel;
        this.beside = beside;
    }

    /** Takes what is there. Returns its bytes, 0 if there is nothing now. */
    int read(ByteBuffer into) throws IOException {
        if (owed > 0 && !isSettled()) {
            return 0;
        }
        isBulk = true;
        return take(into);
    }

    /** Reads bytes that were not seen yet: headers, and what follows them. The memory is that of the buffer. */
    int readAhead(ByteBuffer into, MemorySegment memory) throws IOException {
        if (owed > 0 && (--patience > 0 || !isSettled())) {
            return 0;
        }
        int bytes = beside == null || isBulk ? take(into) : peek(into, memory);
        if (bytes > 0) {
            isBulk = bytes > PEEK_BYTES;
        }
        return bytes;
    }

    /** Gives what the socket takes. Returns its bytes, 0 if there is no room now. */
    int write(ByteBuffer from) throws IOException {
        return channel.write(from);
    }

    /** The same for small messages and the beginnings of large ones. The memory is that of the buffer. */
    int writeStaged(ByteBuffer from, MemorySegment memory) throws IOException {
        if (beside == null) {
            return channel.write(from);
        }
        return taken(from, beside.send(memory, from.position(), from.remaining()));
    }

    /** Whether {@link #writeGathered} can be called. */
    boolean isGathering() {
        return beside != null;
    }

    /**
     * The same, and what follows it from a place of its own, in one call. Returns how many bytes were taken of both;
     * the buffer's position is behind those that were its own.
     */
    int writeGathered(ByteBuffer from, MemorySegment memory, MemorySegment body, long offset, int bytes)
            throws IOException {
        return taken(from, beside.send(memory, from.position(), from.remaining(), body, offset, bytes));
    }

    private int taken(ByteBuffer from, int bytes) throws IOException {
        if (bytes == 0) {
            // Full or broken: the channel knows.
            return channel.write(from);
        }
        from.position(from.position() + Math.min(bytes, from.remaining()));
        return bytes;
    }

    /** Has the selector wake for these operations, on behalf of a user; always the same selector, and the same user. */
    void awaitOn(Selector selector, int ops, Object user) throws ClosedChannelException {
        if (!channel.isOpen()) {
            return;
        }
        settle();
        if (key == null) {
            key = channel.register(selector, ops, user);
        } else if (key.isValid() && key.interestOps() != ops) {
            key.interestOps(ops);
        }
    }

    /** Goes on with another socket, through its channel alone, and closes the one before. */
    void replace(SocketChannel successor) {
        close();
        channel = successor;
        key = null;
    }

    void close() {
        if (beside != null) {
            settle();
            owed = 0;
            beside.close();
            beside = null;
        }
        SocketChannels.close(channel);
    }

    private int take(ByteBuffer into) throws IOException {
        int bytes = channel.read(into);
        if (bytes < 0) {
            throw new EOFException("it was closed by the peer");
        }
        return bytes;
    }

    private int peek(ByteBuffer into, MemorySegment memory) throws IOException {
        int bytes = beside.peek(memory, into.position(), into.remaining());
        if (bytes == StreamSocket.END) {
            return take(into);
        }
        into.position(into.position() + bytes);
        owed = bytes;
        patience = PATIENCE;
        return bytes;
    }

    /** Takes out what was peeked at. A socket that is closed with bytes in it resets the connection. */
    private void settle() {
        if (owed > 0) {
            owed -= beside.discard(owed);
        }
    }

    /** The same, ahead of a read. */
    private boolean isSettled() throws IOException {
        settle();
        if (owed > 0 && beside.peek(PROBE, 0, 1) == StreamSocket.END) {
            throw new EOFException("it broke");
        }
        return owed == 0;
    }
}
