/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.HostKernel;
import java.lang.foreign.MemorySegment;

/** One launch of a message out, a message in, or both at once; prepared anew for each. */
public final class SendRecvKernel implements HostKernel {
    private final Half send = new Half();
    private final Half recv = new Half();
    private boolean isStarted;

    /** A kernel that was not prepared. */
    public SendRecvKernel() {
    }

    /** One direction of a pair of ranks. */
    public static final class Port {
        private final SimplePrimitives primitives;
        private final long stepBytes;

        /**
         * The kernels' end of a connection.
         *
         * @param connection to or from the peer
         * @param isSend     which of the two
         */
        public Port(DeviceConnection connection, boolean isSend) {
            this.primitives = new SimplePrimitives(isSend ? null : connection, isSend ? connection : null);
            this.stepBytes = connection.stepBytes(Protocol.SIMPLE);
        }

        /**
         * How many steps a message takes: an empty one takes one too.
         *
         * @param bytes of the message
         * @return for the proxy's op
         */
        public int nsteps(long bytes) {
            return Math.max(1, Math.toIntExact(RingGeometry.ceilDiv(bytes, stepBytes)));
        }

        SimplePrimitives primitives() {
            return primitives;
        }

        long stepBytes() {
            return stepBytes;
        }

        /** A launch of one slot's worth of data, through the slot. */
        void start(boolean isRecv) {
            primitives.registered(false, 0);
            primitives.start(1, 1, isRecv, !isRecv);
        }
    }

    /** A message, as far as it has come. */
    private static final class Half {
        private SimplePrimitives primitives;
        private MemorySegment buffer;
        private boolean isRegistered;
        private long stepBytes;
        private long stepsLeft;
        private long offset;
        private long placed;

        void prepare(Port port, MemorySegment buffer, boolean isRegistered) {
            this.primitives = port.primitives;
            this.buffer = buffer;
            this.isRegistered = isRegistered;
            stepBytes = port.stepBytes;
            stepsLeft = port.nsteps(buffer.byteSize());
            offset = 0;
            placed = 0;
        }

        void clear() {
            primitives = null;
            buffer = null;
            stepsLeft = 0;
        }

        void start(boolean isRecv) {
            if (primitives != null) {
                primitives.registered(isRegistered, buffer.address());
                primitives.start(1, 1, isRecv, !isRecv);
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
            while (isRegistered && placed < stepsLeft && primitives.canPlaceRecv()) {
                primitives.placeRecv(true, offset + placed * stepBytes, bytes(offset + placed * stepBytes));
                placed++;
            }
            if (!primitives.isReceived(stepBytes)) {
                return 0;
            }
            primitives.recv(buffer, offset, bytes(offset));
            advance();
            placed--;
            return 1;
        }

        boolean isSent() {
            return stepsLeft == 0 && (!isRegistered || primitives == null || primitives.isSent());
        }

        private void advance() {
            offset += bytes(offset);
            stepsLeft--;
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
     * Adds the message in.
     *
     * @param port         from whom
     * @param buffer       where it goes, all of it
     * @param isRegistered whether the network puts it there
     */
    public void recv(Port port, MemorySegment buffer, boolean isRegistered) {
        recv.prepare(port, buffer, isRegistered);
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
    public void onRetired(boolean isDropped) {
        send.clear();
        recv.clear();
    }
}
