/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;

/**
 * A data socket: it carries its chunk of each stripe, one stripe after the other. Driven by one thread, the comm's own
 * or a helper; {@code done} and {@code total} alone are read by others.
 */
abstract class SocketStream {
    /** Bounds the time that one system call may take. */
    static final int CALL_BYTES = 1 << 20;
    private static final VarHandle DONE;
    private static final VarHandle TOTAL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            DONE = lookup.findVarHandle(SocketStream.class, "done", long.class).withInvokeExactBehavior();
            TOTAL = lookup.findVarHandle(SocketStream.class, "total", long.class).withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final SocketWire wire;
    final int index;
    final SocketMessages messages;
    final SocketCursor cursor = new SocketCursor();
    /** Null on connections that are not resumed. */
    final SocketRepair repair;
    /** Stripes that this socket is through with. Stored by its thread, loaded by the comm's. */
    @SuppressWarnings("UnusedVariable")
    private long done;
    private long total;

    SocketStream(int index, SocketWire wire, SocketMessages messages, SocketRepair repair) {
        this.index = index;
        this.wire = wire;
        this.messages = messages;
        this.repair = repair;
    }

    /** One call of the system. Returns bytes, 0 if nothing can move now. */
    abstract int transfer(ByteBuffer view) throws IOException;

    /** Has nothing to carry: may look whether the socket is still there. */
    abstract void idle() throws IOException;

    /** What to wait for, with or without something to carry: interest ops. */
    abstract int awaitedOps(boolean isBusy);

    /** Goes on with a socket that broke. Returns whether it is up again. */
    abstract boolean isRestored() throws IOException;

    /**
     * Passes by what is through, and makes one system call if there is something to carry. Returns whether another one
     * would be worth it.
     *
     * @throws IOException if the socket broke, and for good
     */
    final boolean drive() throws IOException {
        if (repair != null && repair.isDue() && !isRestored()) {
            return false;
        }
        try {
            return carry(messages.published());
        } catch (IOException e) {
            if (repair == null) {
                throw e;
            }
            repair.begin(wire, e);
            return false;
        }
    }

    /** The last stripe that this socket is through with, as with all before it. */
    final long done() {
        return (long) DONE.getAcquire(this);
    }

    /** Bytes so far. Any thread; perhaps not the newest. */
    final long total() {
        return (long) TOTAL.getOpaque(this);
    }

    final void awaitOn(Selector selector, Object user) throws ClosedChannelException {
        wire.awaitOn(selector, awaitedOps(cursor.at <= messages.published()), user);
    }

    final boolean isUnderRepair() {
        return repair != null && repair.isDue();
    }

    /** The chunk's bytes were read or written: pairs with done(), after which the memory changes hands. */
    final void publishDone() {
        DONE.setRelease(this, cursor.at - 1);
    }

    /** Bytes of the stripe under way that this socket carries; 0 if there is none. */
    final long chunkBytes() {
        return cursor.at > messages.published() ? 0
                : messages.chunkBytes(cursor.at, messages.chunkOffset(cursor.at, index));
    }

    final void close() {
        wire.close();
        if (repair != null) {
            repair.close();
        }
    }

    private boolean carry(long published) throws IOException {
        if (!passBy(published)) {
            idle();
            return false;
        }
        int place = messages.stripePlace(cursor.at);
        long offset = messages.chunkOffset(cursor.at, index);
        long rest = chunkBytes() - cursor.moved;
        ByteBuffer view = messages.memories[place].view(index + 1, messages.offsets[place] + offset + cursor.moved,
                Math.min(rest, CALL_BYTES));
        int bytes = transfer(view);
        cursor.moved += bytes;
        TOTAL.setOpaque(this, total + bytes);
        boolean isWhole = !view.hasRemaining();
        return passBy(published) && isWhole;
    }

    /** Steps over what is through. Returns whether something is left. */
    private boolean passBy(long published) {
        long before = cursor.at;
        while (cursor.at <= published && cursor.moved == chunkBytes()) {
            cursor.set(cursor.at + 1, 0);
        }
        if (cursor.at != before) {
            publishDone();
        }
        return cursor.at <= published;
    }
}
