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
 * or a helper; {@code done} alone is read by others.
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
    private final int index;
    private final int awaitedOps;
    private final SocketMessages messages;
    /** The stripe whose chunk is under way, or is next. */
    private long at = 1;
    /** Bytes of that chunk that are through. */
    private long moved;
    /** Stripes that this socket is through with. Stored by its thread, loaded by the comm's. */
    @SuppressWarnings("UnusedVariable")
    private long done;
    private long total;

    SocketStream(int index, SocketWire wire, SocketMessages messages, int awaitedOps) {
        this.index = index;
        this.wire = wire;
        this.messages = messages;
        this.awaitedOps = awaitedOps;
    }

    /** One call of the system. Returns bytes, 0 if nothing can move now. */
    abstract int transfer(ByteBuffer view) throws IOException;

    /**
     * Passes by what is through, and makes one system call if there is something to carry. Returns whether another one
     * would be worth it.
     */
    final boolean drive() throws IOException {
        long published = messages.published();
        if (!passBy(published)) {
            return false;
        }
        int place = messages.stripePlace(at);
        long offset = messages.chunkOffset(at, index);
        long rest = messages.chunkBytes(at, offset) - moved;
        ByteBuffer view = messages.memories[place].view(index + 1, messages.offsets[place] + offset + moved,
                Math.min(rest, CALL_BYTES));
        int bytes = transfer(view);
        moved += bytes;
        TOTAL.setOpaque(this, total + bytes);
        boolean isWhole = !view.hasRemaining();
        return passBy(published) && isWhole;
    }

    /** The last stripe that this socket is through with, as with all before it. */
    final long done() {
        return (long) DONE.getAcquire(this);
    }

    /** Bytes so far. Any thread; perhaps not the newest. */
    final long total() {
        return (long) TOTAL.getOpaque(this);
    }

    /** Whether there is something to carry, as far as its thread knows. */
    final boolean isBusy() {
        return at <= messages.published();
    }

    final void awaitOn(Selector selector, Object user) throws ClosedChannelException {
        wire.awaitOn(selector, isBusy() ? awaitedOps : 0, user);
    }

    /** Steps over what is through. Returns whether something is left. */
    private boolean passBy(long published) {
        long before = at;
        while (at <= published && moved == messages.chunkBytes(at, messages.chunkOffset(at, index))) {
            at++;
            moved = 0;
        }
        if (at != before) {
            // The chunk's bytes were read or written: pairs with done(), after which the memory changes hands.
            DONE.setRelease(this, at - 1);
        }
        return at <= published;
    }
}
