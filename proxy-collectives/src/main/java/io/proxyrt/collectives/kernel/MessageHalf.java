/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import java.lang.foreign.MemorySegment;

/** One end of a message, as far as it has come: NCCL's half of {@code ncclDevWorkP2p}. Prepared anew for each. */
final class MessageHalf {
    private final UserPlaces places = new UserPlaces();
    private Primitives primitives;
    private SimplePrimitives simple;
    private MemorySegment buffer;
    /** The message is that part of the buffer. */
    private long begin;
    private long bytes;
    private int stamp;
    private boolean isSend;
    private boolean isRegistered;
    private boolean isStarted;
    private long stepBytes;
    private long stepsLeft;
    private long offset;
    private long placed;
    /** Of the memory around a receive buffer, as the sender knows it; 0 if it is not offered. */
    private long offeredHandle;
    private long offeredOffset;
    /** What the same connection carries after it. */
    private MessageHalf next;

    /** The memory is registered if the network takes the message from there, or puts it there. */
    void prepare(Port port, MessagePart part, boolean isInPlace) {
        primitives = port.primitives(part.bytes());
        simple = port.simple();
        buffer = part.buffer();
        begin = part.offset();
        bytes = part.bytes();
        stamp = part.stamp();
        isSend = port.isSend();
        isRegistered = isInPlace;
        isStarted = false;
        places.send(buffer, 0, 0);
        stepBytes = primitives.dataBytes();
        stepsLeft = port.nsteps(bytes);
        offset = 0;
        placed = 0;
        offeredHandle = 0;
        next = null;
    }

    /** The peer's kernels reach the buffer: they take the message from there. */
    void share(long handle, long bufferOffset) {
        places.send(buffer, handle, bufferOffset);
    }

    /** The peer's kernels reach the buffer: they may put parts of the message there. */
    void offer(long handle, long bufferOffset) {
        offeredHandle = handle;
        offeredOffset = bufferOffset + begin;
    }

    void next(MessageHalf later) {
        next = later;
    }

    MessageHalf next() {
        return next;
    }

    /** Forgets the user's memory. */
    void clear() {
        primitives = null;
        simple = null;
        buffer = null;
        next = null;
        stepsLeft = 0;
    }

    /** Moves one step, if that can be done now. */
    int doWork() {
        if (!isStarted) {
            start();
        }
        return isSend ? send() : recv();
    }

    /** Whether it is over, and the user's memory is nobody else's any more. */
    boolean isDone() {
        return isStarted && stepsLeft == 0 && (!isSend || !isRegistered || simple.isSent());
    }

    /** Why it can never go on; null if it may. */
    ProxyException whyHopeless() {
        if (!isStarted || isDone()) {
            return null;
        }
        if (isSend) {
            boolean isWaiting = stepsLeft == 0 || !primitives.hasCredit();
            return isWaiting ? primitives.send.whyNoCredit() : null;
        }
        return !primitives.isReceived(bytes(offset)) ? primitives.whyNoSteps() : null;
    }

    /** What it waits for, for people; empty if nothing. Any thread. */
    String describe() {
        Primitives moving = primitives;
        long left = stepsLeft;
        if (moving == null || !isSend && left == 0) {
            return "";
        }
        String what = (isSend ? "send" : "recv") + " of " + bytes + " bytes ";
        return what + (left > 0 ? moving.awaited(!isSend, isSend, bytes(offset))
                : "waits until " + moving.send.peerName() + " has read it");
    }

    private void start() {
        isStarted = true;
        boolean isRecv = !isSend;
        simple.inPlace(isRegistered && isRecv, isRegistered && isSend, places);
        primitives.stamp(stamp);
        primitives.start(1, 1, isRecv, isSend);
        if (isRegistered && isSend) {
            simple.share(begin, bytes);
        } else if (offeredHandle > 0) {
            simple.offer(offeredHandle, offeredOffset, bytes);
        }
    }

    private int send() {
        if (stepsLeft == 0 || !primitives.hasCredit()) {
            return 0;
        }
        primitives.send(buffer, begin + offset, bytes(offset));
        advance();
        return 1;
    }

    private int recv() {
        if (stepsLeft == 0) {
            return 0;
        }
        while (isRegistered && placed < stepsLeft && simple.canPlaceRecv()) {
            long at = offset + placed * stepBytes;
            simple.placeRecv(true, begin + at, bytes(at));
            placed++;
        }
        if (!primitives.isReceived(bytes(offset))) {
            return 0;
        }
        primitives.recv(buffer, begin + offset, bytes(offset));
        advance();
        placed--;
        return 1;
    }

    private void advance() {
        offset += bytes(offset);
        stepsLeft--;
        assert stepsLeft >= 0 && offset <= bytes : stepsLeft;
    }

    private long bytes(long at) {
        return Math.min(stepBytes, bytes - at);
    }
}
