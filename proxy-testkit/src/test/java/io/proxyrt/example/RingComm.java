/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** What both ends of a connection have: requests, numbered from 1 on, and a failure that stays. */
abstract class RingComm implements NetComm {
    static final int MAX_REQUESTS = 16;

    final PacketRing ring;
    final String peer;
    /** What is left of each outstanding request: messages of a receive, 1 for a send; -1 if it is not outstanding. */
    final int[] left = new int[MAX_REQUESTS];
    long posted;
    private int result;
    private String failure = "";

    RingComm(PacketRing ring, String peer) {
        this.ring = ring;
        this.peer = peer;
        Arrays.fill(left, -1);
    }

    /** Moves what can be moved now. */
    abstract void progress();

    @Override
    public NetMemory regMr(MemorySegment buffer) {
        if (!buffer.isNative() || !buffer.scope().isAlive()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory on the Java heap, or freed, cannot be used");
        }
        return new RingMemory(buffer);
    }

    @Override
    public int test(long request, long[] sizes) {
        if (request <= 0 || request > posted || request <= posted - MAX_REQUESTS || left[place(request)] < 0) {
            return refuse("request " + request + " is not outstanding");
        }
        if (left[place(request)] > 0) {
            drive();
            if (left[place(request)] > 0) {
                return result;
            }
        }
        left[place(request)] = -1;
        return 1;
    }

    @Override
    public String failure() {
        return failure;
    }

    /** Memory that was freed too early is its owner's mistake, and no reason to throw into the progress thread. */
    final void drive() {
        try {
            if (result == 0) {
                progress();
            }
        } catch (IllegalStateException e) {
            fail(ProxyResult.INVALID_USAGE, "memory of a message was freed: " + e.getMessage());
        }
    }

    static int place(long request) {
        return (int) (request % MAX_REQUESTS);
    }

    /** 1 if a request can be taken, 0 if there is no room for it, a negated error if it never can. */
    int admit() {
        return result < 0 ? result : left[place(posted + 1)] < 0 ? 1 : 0;
    }

    static boolean isWithin(NetMemory memory, long offset, long bytes) {
        return memory instanceof RingMemory ours && ours.isUsable() && (offset | bytes) >= 0
                && offset <= memory.segment().byteSize() - bytes;
    }

    void fail(ProxyResult failed, String why) {
        result = -failed.code();
        failure = "connection with " + peer + ": " + why;
    }

    int refuse(String why) {
        failure = result < 0 ? failure : why;
        return -ProxyResult.INVALID_ARGUMENT.code();
    }

    /** Registered memory needs no preparation here. */
    private static final class RingMemory implements NetMemory {
        private final MemorySegment segment;
        private boolean isClosed;

        RingMemory(MemorySegment segment) {
            this.segment = segment;
        }

        boolean isUsable() {
            return !isClosed && segment.scope().isAlive();
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }
}
