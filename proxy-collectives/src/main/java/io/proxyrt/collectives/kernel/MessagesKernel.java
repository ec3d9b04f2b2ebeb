/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One launch of messages out and in, any number of them; prepared anew for each. Messages of one connection go one
 * after the other, in the order in which they were added; those of different connections all at once, so that none
 * waits for another.
 */
public final class MessagesKernel implements HostKernel {
    private static final int MOST_DESCRIBED = 8;

    private MessageHalf[] halves = {new MessageHalf(), new MessageHalf()};
    private int size;
    /** The messages that move, one of each connection. */
    private MessageHalf[] moving = new MessageHalf[2];
    private int movingSize;
    /** Messages of this rank to itself. */
    private LocalCopy[] copies = {};
    private int copiesSize;
    private int copied;
    private long opCount;
    private int round;

    /** A kernel that was not prepared. */
    public MessagesKernel() {
    }

    /** Begins to set the kernel up; the launching thread, before the launch. */
    public void begin() {
        size = 0;
        movingSize = 0;
        copiesSize = 0;
        copied = 0;
        round++;
    }

    /**
     * Says which launch it is, for messages of errors.
     *
     * @param number of the ops
     */
    public void opCount(long number) {
        opCount = number;
    }

    /**
     * Adds a message.
     *
     * @param port      to whom, or from whom
     * @param part      the message
     * @param isInPlace whether the network takes it from there, or puts it there
     */
    public void add(Port port, MessagePart part, boolean isInPlace) {
        enqueue(port, part, isInPlace);
    }

    /**
     * Adds a message out of memory that the peer's kernels reach, or into such: they take it from there, or may put
     * parts of it there.
     *
     * @param port         to whom, or from whom, directly
     * @param part         the message
     * @param handle       of the registered memory around its buffer, as the peer knows it
     * @param bufferOffset of the buffer in that memory
     */
    public void add(Port port, MessagePart part, long handle, long bufferOffset) {
        MessageHalf half = enqueue(port, part, port.isSend());
        if (port.isSend()) {
            half.share(handle, bufferOffset);
        } else {
            half.offer(handle, bufferOffset);
        }
    }

    /**
     * Adds a message of this rank to itself.
     *
     * @param from     what is sent
     * @param to       where it goes
     * @param toOffset in there
     */
    public void copy(MessagePart from, MemorySegment to, long toOffset) {
        if (copiesSize == copies.length) {
            int before = copiesSize;
            copies = Arrays.copyOf(copies, Math.max(2, 2 * before));
            Arrays.setAll(copies, i -> i < before ? copies[i] : new LocalCopy());
        }
        copies[copiesSize++].prepare(from, to, toOffset);
    }

    /** Whether nothing was added. */
    boolean isEmpty() {
        return size == 0 && copiesSize == 0;
    }

    private MessageHalf enqueue(Port port, MessagePart part, boolean isInPlace) {
        if (size == halves.length) {
            int before = size;
            halves = Arrays.copyOf(halves, 2 * before);
            Arrays.setAll(halves, i -> i < before ? halves[i] : new MessageHalf());
            moving = Arrays.copyOf(moving, 2 * before);
        }
        MessageHalf half = halves[size++];
        half.prepare(port, part, isInPlace);
        MessageHalf before = port.enqueue(half, this, round);
        if (before == null) {
            moving[movingSize++] = half;
        } else {
            before.next(half);
        }
        return half;
    }

    @Override
    public int doWork() {
        int moved = copied < copiesSize ? copy() : 0;
        for (int i = 0; i < movingSize; i++) {
            MessageHalf half = moving[i];
            moved += half.doWork();
            if (half.isDone()) {
                moved++;
                i -= replace(i, half.next());
            }
        }
        return moved;
    }

    /** Returns how many there are less. */
    private int replace(int at, MessageHalf next) {
        if (next != null) {
            moving[at] = next;
            return 0;
        }
        moving[at] = moving[--movingSize];
        moving[movingSize] = null;
        return 1;
    }

    private int copy() {
        copied += copies[copied].doWork() ? 1 : 0;
        return 1;
    }

    @Override
    public boolean isDone() {
        return movingSize == 0 && copied == copiesSize;
    }

    @Override
    public ProxyException whyHopeless() {
        for (int i = 0; i < movingSize; i++) {
            ProxyException why = moving[i].whyHopeless();
            if (why != null) {
                return why;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(size > 2 ? "messages #" : "message #").append(opCount).append(": ");
        MessageHalf[] all = moving;
        int described = 0;
        for (int i = 0; i < Math.min(movingSize, all.length) && described < MOST_DESCRIBED; i++) {
            MessageHalf half = all[i];
            String what = half == null ? "" : half.describe();
            if (!what.isEmpty()) {
                text.append(described++ == 0 ? "" : " and ").append(what);
            }
        }
        return described == MOST_DESCRIBED && movingSize > described ? text + " and others" : text.toString();
    }

    @Override
    public void onRetired(boolean isDropped) {
        for (int i = 0; i < size; i++) {
            halves[i].clear();
        }
        for (int i = 0; i < copiesSize; i++) {
            copies[i].clear();
        }
        Arrays.fill(moving, null);
        movingSize = 0;
        copied = copiesSize;
    }
}
