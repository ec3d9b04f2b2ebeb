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
    private MemorySegment sendBuffer;
    private MemorySegment recvBuffer;
    private Primitives send;
    private Primitives recv;
    private long sendStepBytes;
    private long recvStepBytes;
    private long sendOffset;
    private long recvOffset;
    private long sendSteps;
    private long recvSteps;
    private boolean isStarted;

    /** A kernel that was not prepared. */
    public SendRecvKernel() {
    }

    /** One direction of a pair of ranks. */
    public static final class Port {
        private final Primitives primitives;
        private final long stepBytes;

        /**
         * The kernels' end of a connection.
         *
         * @param connection to or from the peer
         * @param isSend     which of the two
         */
        public Port(DeviceConnection connection, boolean isSend) {
            this.primitives = new Primitives(isSend ? null : connection, isSend ? connection : null);
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
    }

    /**
     * Sets the kernel up; the launching thread, before the launch.
     *
     * @param sendPort   to whom; null for nobody
     * @param sendBuffer the message, all of it
     * @param recvPort   from whom; null for nobody
     * @param recvBuffer where the message goes, all of it
     */
    public void prepare(Port sendPort, MemorySegment sendBuffer, Port recvPort, MemorySegment recvBuffer) {
        this.sendBuffer = sendBuffer;
        this.recvBuffer = recvBuffer;
        send = sendPort == null ? null : sendPort.primitives;
        recv = recvPort == null ? null : recvPort.primitives;
        sendStepBytes = sendPort == null ? 0 : sendPort.stepBytes;
        recvStepBytes = recvPort == null ? 0 : recvPort.stepBytes;
        sendSteps = sendPort == null ? 0 : sendPort.nsteps(sendBuffer.byteSize());
        recvSteps = recvPort == null ? 0 : recvPort.nsteps(recvBuffer.byteSize());
        sendOffset = 0;
        recvOffset = 0;
        isStarted = false;
    }

    @Override
    public int doWork() {
        if (!isStarted) {
            isStarted = true;
            start(send, false, true);
            start(recv, true, false);
        }
        return sendStep() + recvStep();
    }

    @Override
    public boolean isDone() {
        return sendSteps == 0 && recvSteps == 0;
    }

    @Override
    public void onRetired(boolean isDropped) {
        sendBuffer = null;
        recvBuffer = null;
    }

    private static void start(Primitives primitives, boolean usesRecv, boolean usesSend) {
        if (primitives != null) {
            primitives.start(1, 1, usesRecv, usesSend);
        }
    }

    private int sendStep() {
        if (sendSteps == 0 || !send.isReady(false, true)) {
            return 0;
        }
        long bytes = Math.min(sendStepBytes, sendBuffer.byteSize() - sendOffset);
        send.send(sendBuffer, sendOffset, bytes);
        sendOffset += bytes;
        sendSteps--;
        return 1;
    }

    private int recvStep() {
        if (recvSteps == 0 || !recv.isReady(true, false)) {
            return 0;
        }
        long bytes = Math.min(recvStepBytes, recvBuffer.byteSize() - recvOffset);
        recv.recv(recvBuffer, recvOffset, bytes);
        recvOffset += bytes;
        recvSteps--;
        return 1;
    }
}
