/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.LlLines;

/** One direction of a pair of ranks, as kernels use it that do not go by rings. */
public final class Port {
    private final Primitives[] byProtocol = new Primitives[Protocol.values().length];
    private final boolean isSend;
    private final long llBytes;
    private final long stepBytes;
    /** What was added to a kernel last, and to which; the launching thread only. */
    private MessageHalf last;
    private MessagesKernel lastKernel;
    private int lastRound;

    private Port(DeviceConnection connection, boolean isSend, long llBytes) {
        this.isSend = isSend;
        this.stepBytes = connection.stepBytes(Protocol.SIMPLE);
        boolean hasLl = connection.isDirect(Protocol.LL) && connection.buffer(Protocol.LL) != null;
        this.llBytes = hasLl ? Math.min(llBytes, LlLines.dataBytes(connection.stepBytes(Protocol.LL))) : 0;
    }

    /**
     * A connection's end for kernels of the host.
     *
     * @param connection to or from the peer
     * @param isSend     which of the two
     * @param llBytes    up to which size data go by LL, if the connection is direct; both ends alike
     * @return with the primitives of its protocols
     */
    public static Port of(DeviceConnection connection, boolean isSend, long llBytes) {
        Port port = new Port(connection, isSend, llBytes);
        DeviceConnection recv = isSend ? null : connection;
        DeviceConnection send = isSend ? connection : null;
        for (Protocol protocol : Protocol.values()) {
            if (protocol == Protocol.SIMPLE) {
                port.byProtocol[protocol.ordinal()] = new SimplePrimitives(recv, send);
            } else if (connection.buffer(protocol) != null) {
                port.byProtocol[protocol.ordinal()] = new LinePrimitives(protocol, recv, send);
            }
        }
        return port;
    }

    /**
     * A connection's end for kernels of a GPU, which have primitives of their own.
     *
     * @param connection to or from the peer
     * @param isSend     which of the two
     * @param llBytes    up to which size data go by LL, if the connection is direct; both ends alike
     * @return says how messages are cut
     */
    public static Port forGpu(DeviceConnection connection, boolean isSend, long llBytes) {
        return new Port(connection, isSend, llBytes);
    }

    /**
     * Up to which size data go by LL.
     *
     * @return 0 if none do
     */
    public long llBytes() {
        return llBytes;
    }

    /**
     * Which direction.
     *
     * @return false if the peer sends
     */
    public boolean isSend() {
        return isSend;
    }

    /**
     * How data of a size travel. Nothing at all needs Simple: lines without data have no flags to wait for.
     *
     * @param bytes of a message, or of a round of doubling
     * @return LL if the data fit its slot, and reach the peer faster so; else Simple
     */
    public Protocol protocol(long bytes) {
        return bytes > 0 && bytes <= llBytes ? Protocol.LL : Protocol.SIMPLE;
    }

    /**
     * How many steps a message takes: an empty one takes one too.
     *
     * @param bytes of the message
     * @return for the proxy's op
     */
    public int nsteps(long bytes) {
        return protocol(bytes) == Protocol.LL ? 1
                : Math.max(1, Math.toIntExact(RingGeometry.ceilDiv(bytes, stepBytes)));
    }

    /** Notes what a kernel has this direction do next. Returns what it has it do before; null if nothing. */
    MessageHalf enqueue(MessageHalf half, MessagesKernel kernel, int round) {
        MessageHalf before = lastKernel == kernel && lastRound == round ? last : null;
        last = half;
        lastKernel = kernel;
        lastRound = round;
        return before;
    }

    /** Begins an operation of single steps, all of which go by slots. */
    void start(Protocol protocol, int stamp) {
        Primitives steps = primitives(protocol);
        steps.stamp(stamp);
        steps.start(1, 1, !isSend, isSend);
    }

    Primitives primitives(long bytes) {
        return byProtocol[protocol(bytes).ordinal()];
    }

    Primitives primitives(Protocol protocol) {
        return byProtocol[protocol.ordinal()];
    }

    SimplePrimitives simple() {
        return (SimplePrimitives) byProtocol[Protocol.SIMPLE.ordinal()];
    }
}
