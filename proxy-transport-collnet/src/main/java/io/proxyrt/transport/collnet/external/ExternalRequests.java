/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

/**
 * The requests of a comm that the plug-in completes in their order: its collectives, or its flushes. The plug-in is
 * asked for the oldest one only; what is complete is remembered until its own test.
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
    private final long[] pointers;
    private final boolean[] isOutstanding;
    private long posted;
    private long complete;

    /** None yet; numbers of kind 0 and 1 differ. */
    ExternalRequests(ExternalComm comm, int kind, int limit) {
        this.comm = comm;
        this.kind = kind;
        this.limit = limit;
        this.pointers = new long[limit];
        this.isOutstanding = new boolean[limit];
    }

    boolean hasRoom() {
        return !isOutstanding[place(posted)];
    }

    /** Takes a request that the plug-in gave; returns its number. */
    long post(long pointer) {
        int place = place(posted);
        assert pointer != 0 && !isOutstanding[place] : posted;
        pointers[place] = pointer;
        isOutstanding[place] = true;
        posted++;
        return posted * KINDS + kind;
    }

    /** Whether a number is one of this kind. */
    boolean isOwn(long request) {
        return (request & KINDS - 1) == kind;
    }

    /** What {@code test} says. */
    int test(long request) {
        long index = (request - kind) / KINDS - 1;
        if (index < 0 || index >= posted || index < posted - limit || !isOutstanding[place(index)]) {
            return comm.refuse("request " + request + " is not outstanding");
        }
        while (complete <= index) {
            int result = comm.ask(pointers[place(complete)]);
            if (result <= 0) {
                return result;
            }
            complete++;
        }
        isOutstanding[place(index)] = false;
        return 1;
    }

    private int place(long index) {
        return (int) (index % limit);
    }
}
