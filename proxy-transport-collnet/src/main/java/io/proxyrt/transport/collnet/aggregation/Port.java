/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * A socket, and whether it is worth a try: after one that brought nothing, the selector says when it is again. Confined
 * to the group's thread.
 */
final class Port {
    private final SocketChannel channel;
    private final SelectionKey key;
    private final Tally tally;
    private boolean mayRead = true;
    private boolean mayWrite = true;

    Port(SocketChannel channel, SelectionKey key, Tally tally) {
        this.channel = channel;
        this.key = key;
        this.tally = tally;
    }

    SocketChannel channel() {
        return channel;
    }

    boolean mayRead() {
        return mayRead;
    }

    boolean mayWrite() {
        return mayWrite;
    }

    /** The selector has something to say. */
    void ready() {
        if (key.isReadable()) {
            mayRead = true;
        }
        if (key.isWritable()) {
            mayWrite = true;
            key.interestOpsAnd(~SelectionKey.OP_WRITE);
        }
    }

    /** Nothing is there to be read. */
    void awaitRead() {
        mayRead = false;
        key.interestOpsOr(SelectionKey.OP_READ);
    }

    /** What is there waits for its turn. */
    void ignoreReads() {
        key.interestOpsAnd(~SelectionKey.OP_READ);
    }

    private void awaitWrite() {
        mayWrite = false;
        key.interestOpsOr(SelectionKey.OP_WRITE);
    }

    /** Reads payload; returns how much of it. */
    int read(ByteBuffer to) throws IOException {
        final int n = channel.read(to);
        if (n < 0) {
            throw new EOFException("it closed the connection amid a payload");
        }
        if (to.hasRemaining()) {
            awaitRead();
        }
        tally.add(SwitchCounter.BYTES_IN, n);
        return n;
    }

    /** Writes; returns whether anything went out. */
    boolean write(ByteBuffer from) throws IOException {
        final int n = channel.write(from);
        if (from.hasRemaining()) {
            awaitWrite();
        }
        return n > 0;
    }

    /** Writes of a slot's memory; returns whether anything went out. */
    boolean writeSlot(ByteBuffer frame) throws IOException {
        final int before = Math.max(frame.position(), Slot.PAYLOAD_AT);
        final boolean isMoving = write(frame);
        tally.add(SwitchCounter.BYTES_OUT, Math.max(frame.position(), Slot.PAYLOAD_AT) - before);
        return isMoving;
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** Says that nothing more will come. */
    void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    /** Reads, and forgets, some of what has come; returns how much, negative at the end of the connection. */
    int discard(ByteBuffer bin) throws IOException {
        final int n = channel.read(bin.clear());
        if (n == 0) {
            awaitRead();
        }
        return n;
    }

    void close() {
        key.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            AggregationSwitch.LOG.debug("closing a socket failed", e);
        }
    }
}
