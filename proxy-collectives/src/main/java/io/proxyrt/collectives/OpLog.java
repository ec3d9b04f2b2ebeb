/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.OpWord;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The last operations of one kind that a rank was asked for, numbered from 1. One thread adds, and allocates nothing;
 * any thread reads the younger half, which the one that adds leaves alone meanwhile.
 */
final class OpLog {
    private static final VarHandle LAST;

    static {
        try {
            LAST = MethodHandles.lookup().findVarHandle(OpLog.class, "last", long.class).withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] words;
    private final long[] sizes;
    /** Number of the oldest that there is; of a peer's log not all are told. */
    private final long first;
    private long last;

    /** Empty; others may read the last {@code readable} entries, a power of two. */
    OpLog(int readable) {
        this(readable, 1);
    }

    private OpLog(int readable, long first) {
        this.words = new long[2 * readable];
        this.sizes = new long[2 * readable];
        this.first = first;
    }

    void add(long word, long bytes) {
        long number = last + 1;
        words[place(number)] = word;
        sizes[place(number)] = bytes;
        // Pairs with last(): who sees the number sees what it is.
        LAST.setRelease(this, number);
    }

    /** Number of the youngest; 0 if there is none. Any thread. */
    long last() {
        return (long) LAST.getAcquire(this);
    }

    /** Whether an operation can be asked for. */
    boolean holds(long number) {
        return number >= oldest() && number <= last();
    }

    long word(long number) {
        return words[place(number)];
    }

    long bytes(long number) {
        return sizes[place(number)];
    }

    String describe(long number) {
        return OpWord.describe(words[place(number)], sizes[place(number)]);
    }

    /** The oldest operation that both logs have and that is not the same; 0 if there is none. */
    long firstDifference(OpLog other) {
        long end = Math.min(last(), other.last());
        for (long number = Math.max(oldest(), other.oldest()); number <= end; number++) {
            int mine = place(number);
            int theirs = other.place(number);
            if (words[mine] != other.words[theirs] || sizes[mine] != other.sizes[theirs]) {
                return number;
            }
        }
        return 0;
    }

    /** Writes what others may read. */
    void put(ByteBuffer out) {
        long end = last();
        long begin = Math.max(first, end - words.length / 2 + 1);
        out.putLong(end).putInt((int) (end - begin + 1));
        for (long number = begin; number <= end; number++) {
            out.putLong(words[place(number)]).putLong(sizes[place(number)]);
        }
    }

    /** Most bytes that {@link #put} writes. */
    int maxBytes() {
        return Long.BYTES + Integer.BYTES + words.length / 2 * 2 * Long.BYTES;
    }

    /** Reads what a peer wrote; nonsense is an IllegalArgumentException or a BufferUnderflowException. */
    static OpLog get(ByteBuffer in, int readable) {
        long end = in.getLong();
        int n = in.getInt();
        if (n < 0 || n > readable || end < n) {
            throw new IllegalArgumentException(n + " operations of " + end);
        }
        OpLog log = new OpLog(readable, end - n + 1);
        log.last = end - n;
        for (int i = 0; i < n; i++) {
            log.add(in.getLong(), in.getLong());
        }
        return log;
    }

    private long oldest() {
        return Math.max(first, last() - words.length / 2 + 1);
    }

    private int place(long number) {
        return (int) number & words.length - 1;
    }
}
