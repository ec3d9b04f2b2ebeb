/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The messages of a comm that are under way, and how the data sockets share them. Messages are numbered from 1 on;
 * number m has place (m - 1) mod 32, and keeps it until its request was tested.
 *
 * <p>A message that is not inline is a <em>stripe</em>; stripes have numbers of their own. It is cut into chunks of
 * equal length, at least chunkBytes, as many as there are data sockets at most; socket {@code first} gets the first of
 * them, its neighbours the rest, and the next stripe goes on where this one ends. Both ends reckon this from the sizes
 * alone, so a data socket carries nothing but data, stripe after stripe.
 *
 * <pre>
 *  3 sockets, first = 1, chunkBytes = 64 KiB
 *
 *  stripe of 100 KiB:   1: bytes 0 to 64 KiB    2: the rest                           next first: 0
 *  stripe of 300 KiB:   1: bytes 0 to 100 KiB   2: to 200 KiB    0: to 300 KiB        next first: 1
 * </pre>
 */
final class SocketMessages {
    static final int MAX = 32;
    private static final VarHandle PUBLISHED;
    private static final VarHandle ACKNOWLEDGED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PUBLISHED = lookup.findVarHandle(SocketMessages.class, "published", long.class).withInvokeExactBehavior();
            ACKNOWLEDGED = lookup.findVarHandle(SocketMessages.class, "acknowledged", long.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final SocketMemory[] memories = new SocketMemory[MAX];
    final long[] offsets = new long[MAX];
    final long[] sizes = new long[MAX];
    final int[] tags = new int[MAX];
    final int[] stamps = new int[MAX];
    /** CRC32C of each message, by place, on connections that have it. */
    final int[] sums = new int[MAX];
    /** By place: how many stripes there were when the message was known. */
    private final long[] stripes = new long[MAX];
    /** By (stripe - 1) mod 32: a stripe's place, and its first socket. */
    private final int[] stripePlaces = new int[MAX];
    private final int[] firsts = new int[MAX];
    private final int sockets;
    private final int chunkBytes;
    private int nextFirst;
    private long published;
    /** Stripes that the receiver has. Stored by the comm's thread, loaded by a helper's. */
    @SuppressWarnings("UnusedVariable")
    private long acknowledged;

    SocketMessages(SocketTerms terms) {
        this.sockets = terms.sockets();
        this.chunkBytes = terms.chunkBytes();
    }

    static int place(long number) {
        return (int) (number - 1) & MAX - 1;
    }

    /** Takes note of a message that the data sockets have nothing to do with. */
    void inline(long message) {
        stripes[place(message)] = published;
    }

    /**
     * Makes a message the next stripe, and lets the data sockets know. Its size is known and its place is filled. The
     * slot of a stripe is free again: the one 32 before it was another message that is through.
     */
    void stripe(long message) {
        int place = place(message);
        long stripe = published + 1;
        stripes[place] = stripe;
        stripePlaces[place(stripe)] = place;
        firsts[place(stripe)] = nextFirst;
        nextFirst = (int) ((nextFirst + chunks(sizes[place])) % sockets);
        // Carries the place and the slot; pairs with published() of a helper thread.
        PUBLISHED.setRelease(this, stripe);
    }

    /** The last stripe that the data sockets must be through with before the message is complete. */
    long stripes(long message) {
        return stripes[place(message)];
    }

    /** The last stripe that the data sockets may look at. */
    long published() {
        return (long) PUBLISHED.getAcquire(this);
    }

    /**
     * Takes note that the receiver has a message, before anything is made of it: no socket goes back to its stripe, or
     * to one before it. Pairs with {@link #acknowledged}: either a stream that goes back sees this, or the comm sees
     * that the stream is not through, and keeps the message's place.
     */
    void acknowledge(long message) {
        ACKNOWLEDGED.setOpaque(this, stripes(message));
        VarHandle.fullFence();
    }

    /** The last stripe that the receiver has. A stream calls this after it stored that it goes back. */
    long acknowledged() {
        VarHandle.fullFence();
        return (long) ACKNOWLEDGED.getOpaque(this);
    }

    /** The place of a stripe's message. */
    int stripePlace(long stripe) {
        return stripePlaces[place(stripe)];
    }

    /** Where in the message a data socket's chunk begins; its end if it gets none. */
    long chunkOffset(long stripe, int socket) {
        long size = sizes[stripePlace(stripe)];
        int first = firsts[place(stripe)];
        int ordinal = socket >= first ? socket - first : socket - first + sockets;
        return Math.min(size, ordinal * chunk(size));
    }

    /** How many bytes a data socket carries that gets the chunk at this offset. */
    long chunkBytes(long stripe, long chunkOffset) {
        long size = sizes[stripePlace(stripe)];
        return Math.min(size - chunkOffset, chunk(size));
    }

    private long chunk(long size) {
        return Math.max(chunkBytes, (size + sockets - 1) / sockets);
    }

    private long chunks(long size) {
        long chunk = chunk(size);
        return (size + chunk - 1) / chunk;
    }
}
