/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import java.lang.foreign.MemorySegment;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One launch of a message out, a message in, or both at once; prepared anew for each. */
public final class SendRecvKernel implements HostKernel {
    private final Half send = new Half();
    private final Half recv = new Half();
    private boolean isStarted;
    private long opCount;

    /** A kernel that was not prepared. */
    public SendRecvKernel() {
    }

    /** A message, as far as it has come. */
    private static final class Half {
        private Primitives primitives;
        private SimplePrimitives simple;
        private final UserPlaces places = new UserPlaces();
        private MemorySegment buffer;
        private boolean isRegistered;
        private long stepBytes;
        private long stepsLeft;
        private long offset;
        private long placed;
        /** Of the memory around a receive buffer, as the sender knows it; 0 if it is not offered. */
        private long offeredHandle;
        private long offeredOffset;

        void prepare(Port port, MemorySegment buffer, boolean isRegistered) {
            this.primitives = port.primitives(buffer.byteSize());
            this.simple = port.simple();
            this.buffer = buffer;
            this.isRegistered = isRegistered;
            places.send(buffer, 0, 0);
            stepBytes = primitives.dataBytes();
            stepsLeft = port.nsteps(buffer.byteSize());
            offset = 0;
            placed = 0;
            offeredHandle = 0;
        }

        void clear() {
            primitives = null;
            simple = null;
            buffer = null;
            stepsLeft = 0;
        }

        void start(boolean isRecv) {
            if (primitives != null) {
                simple.inPlace(isRegistered && isRecv, isRegistered && !isRecv, places);
                primitives.stamp(OpWord.stamp(OpWord.MESSAGE, buffer.byteSize()));
                primitives.start(1, 1, isRecv, !isRecv);
                if (isRegistered && !isRecv) {
                    simple.share(buffer.byteSize());
                } else if (offeredHandle > 0) {
                    simple.offer(offeredHandle, offeredOffset, buffer.byteSize());
                }
            }
        }

        int send() {
            if (stepsLeft == 0 || !primitives.hasCredit()) {
                return 0;
            }
            primitives.send(buffer, offset, bytes(offset));
            advance();
            return 1;
        }

        int recv() {
            if (stepsLeft == 0) {
                return 0;
            }
            while (isRegistered && placed < stepsLeft && simple.canPlaceRecv()) {
                simple.placeRecv(true, offset + placed * stepBytes, bytes(offset + placed * stepBytes));
                placed++;
            }
            if (!primitives.isReceived(bytes(offset))) {
                return 0;
            }
            primitives.recv(buffer, offset, bytes(offset));
            advance();
            placed--;
            return 1;
        }

        boolean isSent() {
            return stepsLeft == 0 && (!isRegistered || simple == null || simple.isSent());
        }

        ProxyException whyNoCredit() {
            boolean isWaiting = stepsLeft > 0 ? !primitives.hasCredit() : !isSent();
            return isWaiting ? primitives.send.whyNoCredit() : null;
        }

        ProxyException whyNoSteps() {
            return stepsLeft > 0 && !primitives.isReceived(bytes(offset)) ? primitives.whyNoSteps() : null;
        }

        /** Any thread. */
        String describe(boolean isRecv) {
            Primitives moving = primitives;
            MemorySegment memory = buffer;
            if (moving == null || memory == null || isRecv && stepsLeft == 0) {
                return "";
            }
            String what = (isRecv ? "recv" : "send") + " of " + memory.byteSize() + " bytes ";
            return what + (stepsLeft > 0 ? moving.awaited(isRecv, !isRecv, bytes(offset))
                    : "waits until " + moving.send.peerName() + " has read it");
        }

        private void advance() {
            offset += bytes(offset);
            stepsLeft--;
            assert stepsLeft >= 0 && offset <= buffer.byteSize() : stepsLeft;
        }

        private long bytes(long at) {
            return Math.min(stepBytes, buffer.byteSize() - at);
        }
    }

    /** Begins to set the kernel up; the launching thread, before the launch. */
    public void begin() {
        send.clear();
        recv.clear();
        isStarted = false;
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
     * Adds the message out.
     *
     * @param port         to whom
     * @param buffer       the message, all of it
     * @param isRegistered whether the network takes it from there
     */
    public void send(Port port, MemorySegment buffer, boolean isRegistered) {
        send.prepare(port, buffer, isRegistered);
    }

    /**
     * Adds the message out, from memory that the peer's kernels reach.
     *
     * @param port   to whom, directly
     * @param buffer the message, all of it
     * @param handle of the registered memory around it, as the peer knows it
     * @param offset of the message in it
     */
    public void send(Port port, MemorySegment buffer, long handle, long offset) {
        send.prepare(port, buffer, true);
        send.places.send(buffer, handle, offset);
    }

    /**
     * Adds the message in.
     *
     * @param port         from whom
     * @param buffer       where it goes, all of it
     * @param isRegistered whether the network puts it there
     */
    public void recv(Port port, MemorySegment buffer, boolean isRegistered) {
        recv.prepare(port, buffer, isRegistered);
    }

    /**
     * Adds the message in, to memory that the peer's kernels reach, too: they may put parts of it there.
     *
     * @param port   from whom, directly
     * @param buffer where it goes, all of it
     * @param handle of the registered memory around it, as the peer knows it
     * @param offset of the message in it
     */
    public void recv(Port port, MemorySegment buffer, long handle, long offset) {
        recv.prepare(port, buffer, false);
        recv.offeredHandle = handle;
        recv.offeredOffset = offset;
    }

    @Override
    public int doWork() {
        if (!isStarted) {
            isStarted = true;
            send.start(false);
            recv.start(true);
        }
        return send.send() + recv.recv();
    }

    @Override
    public boolean isDone() {
        return recv.stepsLeft == 0 && send.isSent();
    }

    @Override
    public ProxyException whyHopeless() {
        if (!isStarted) {
            return null;
        }
        ProxyException why = recv.whyNoSteps();
        return why == null && send.primitives != null ? send.whyNoCredit() : why;
    }

    @Override
    public String toString() {
        return Stream.of(send.describe(false), recv.describe(true)).filter(half -> !half.isEmpty())
                .collect(Collectors.joining(" and ", "message #" + opCount + ": ", ""));
    }

    @Override
    public void onRetired(boolean isDropped) {
        send.clear();
        recv.clear();
    }
}
