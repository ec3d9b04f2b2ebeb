/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.plugin.NetWords;
import io.proxyrt.core.plugin.PluginLibrary;

/**
 * The requests of a comm that the plug-in completes in their order: its messages, or its flushes. The plug-in is asked
 * for the oldest one only; what is complete is remembered until its own test.
 *
 * <pre>
 *  complete  ≤  posted  ≤  complete + limit
 * </pre>
 */
final class ExternalRequests {
    private static final int KINDS = 2;

    private final ExternalComm comm;
    private final int kind;
    private final int limit;
    private final int width;
    private final long[] pointers;
    private final int[] counts;
    /** By request and message: what was posted; of complete ones, what came. */
    private final long[] sizes;
    private final boolean[] isOutstanding;
    private final boolean[] isUntracked;
    private long posted;
    private long complete;

    /**
     * No request.
     *
     * @param comm  that posts them
     * @param kind  0 or 1; numbers of different kinds differ
     * @param limit how many there may be
     * @param width most messages of one, of which sizes are kept
     */
    ExternalRequests(ExternalComm comm, int kind, int limit, int width) {
        this.comm = comm;
        this.kind = kind;
        this.limit = limit;
        this.pointers = new long[limit];
        this.counts = new int[limit];
        this.width = width;
        this.sizes = new long[limit * width];
        this.isOutstanding = new boolean[limit];
        this.isUntracked = new boolean[limit];
    }

    boolean hasRoom() {
        return !isOutstanding[place(posted)];
    }

    /** Notes a message of the request that is posted next. */
    void size(int index, long bytes) {
        sizes[place(posted) * width + index] = bytes;
    }

    /** Takes a request that the plug-in gave; returns its number. */
    long post(long pointer, int n, boolean isOptional) {
        int place = place(posted);
        assert pointer != 0 && !isOutstanding[place] : posted;
        pointers[place] = pointer;
        counts[place] = n;
        isOutstanding[place] = true;
        isUntracked[place] = isOptional;
        posted++;
        return posted * KINDS + kind;
    }

    /** Whether a number is one of this kind. */
    boolean isOwn(long request) {
        return (request & KINDS - 1) == kind;
    }

    /** What {@code test} says. */
    int test(long request, long[] into) {
        long index = (request - kind) / KINDS - 1;
        if (index < 0 || index >= posted || index < posted - limit || !isOutstanding[place(index)]) {
            return comm.refuse("request " + request + " is not outstanding");
        }
        while (complete <= index) {
            int result = comm.isFailed() ? comm.code() : testOldest(place(complete));
            if (result <= 0) {
                return result;
            }
            complete++;
        }
        int place = place(index);
        isOutstanding[place] = false;
        System.arraycopy(sizes, place * width, into, 0, Math.min(counts[place], into.length));
        return 1;
    }

    private int testOldest(int place) {
        NetWords words = comm.words;
        words.beforeTest(counts[place]);
        int code = comm.library.test(pointers[place], words);
        if (PluginLibrary.isError(code)) {
            return comm.fail("test", code);
        }
        return words.isDone() ? comm.settle(this, place) : 0;
    }

    long pointer(int place) {
        return pointers[place];
    }

    int count(int place) {
        return counts[place];
    }

    /** Takes over what the plug-in says that came; returns the index of a message of which that cannot be, or -1. */
    int takeSizes(int place) {
        for (int i = 0; i < counts[place]; i++) {
            int at = place * width + i;
            int actual = comm.words.actual(i);
            boolean isTold = actual >= 0 && actual <= sizes[at];
            if (!isTold && actual != NetWords.UNTOLD && !isUntracked[place]) {
                return i;
            }
            sizes[at] = isTold ? actual : sizes[at];
        }
        return -1;
    }

    /** How long a message may be. */
    long posted(int place, int index) {
        return sizes[place * width + index];
    }

    private int place(long index) {
        return (int) (index % limit);
    }
}
