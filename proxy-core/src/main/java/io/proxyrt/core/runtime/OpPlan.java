/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Pattern;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.Ll128Lines;
import io.proxyrt.core.device.LlLines;
import io.proxyrt.core.device.MessageSteps;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.op.ProxyOpEncoder;
import io.proxyrt.core.progress.ConnectorRequest;

/**
 * What a proxy has to be told of so many bytes over a connection: an op whose fields all follow from the connection,
 * the protocol and the size. The bytes are cut into steps as full as they can be, each a slice and a chunk of its own,
 * as {@link MessageSteps} cuts them; an empty message is one step. Both ends have to plan the same number of bytes.
 *
 * <p>Made once, it is appended as often as one likes, which allocates nothing. One thread at a time.
 */
public final class OpPlan {
    private final boolean needsProxy;
    private final int nsteps;
    private final long stepBytes;
    private final ProxyOpEncoder op;

    private OpPlan(ConnectionEnd end, Protocol protocol, long bytes) {
        DeviceConnection device = end.device();
        if (bytes < 0 || device.stepBytes(protocol) == 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, bytes + " bytes by " + protocol
                    + " cannot go over " + end.connector() + (bytes < 0 ? "" : ", which has no slots for that"));
        }
        this.needsProxy = end.needsProxy();
        this.stepBytes = dataBytes(protocol, device.stepBytes(protocol));
        this.nsteps = MessageSteps.count(bytes, stepBytes);
        this.op = op(end, protocol, device.stepBytes(protocol));
    }

    /**
     * A plan for Simple.
     *
     * @param end   where the bytes go out or come in
     * @param bytes of the user, 0 or more
     * @return to be appended for each time that they go
     * @throws ProxyException as of {@link #of(ConnectionEnd, Protocol, long)}
     */
    public static OpPlan of(ConnectionEnd end, long bytes) {
        return of(end, Protocol.SIMPLE, bytes);
    }

    /**
     * A plan.
     *
     * @param end      where the bytes go out or come in
     * @param protocol by which the kernels of both ends move them
     * @param bytes    of the user, 0 or more
     * @return to be appended for each time that they go
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the connection does not speak the protocol, or the
     *                        bytes are negative
     */
    public static OpPlan of(ConnectionEnd end, Protocol protocol, long bytes) {
        return new OpPlan(end, protocol, bytes);
    }

    /**
     * How many steps the bytes take.
     *
     * @return at least 1
     */
    public int nsteps() {
        return nsteps;
    }

    /**
     * Of the user's, in each step but the last.
     *
     * @return bytes
     */
    public long stepBytes() {
        return stepBytes;
    }

    /**
     * The op, for what a plan does not say, such as {@link ProxyOpEncoder#timeoutMs}.
     *
     * @return of this plan; what is changed in it counts from the next append on
     */
    public ProxyOpEncoder op() {
        return op;
    }

    /**
     * Appends the op, if the connection needs one; {@link OpsPoster#post()} is the caller's. May block while the lane
     * is full, as the poster says.
     *
     * @param poster  of the same runtime
     * @param opCount of what the op is part of: {@code sequence << 1} for a collective, {@code sequence << 1 | 1} for a
     *                message
     * @throws ProxyException as {@link OpsPoster#append(long)}
     */
    public void append(OpsPoster poster, long opCount) {
        if (needsProxy) {
            poster.append(opCount, op);
        }
    }

    private ProxyOpEncoder op(ConnectionEnd end, Protocol protocol, long slotBytes) {
        ConnectorRequest request = end.connector().request();
        boolean isSend = request.direction() == Direction.SEND;
        return new ProxyOpEncoder().connection(end.id()).rank(request.self().rank()).peer(end.peer()).root(end.peer())
                .channelId(request.channelId()).protocol(protocol.ordinal())
                .coll((isSend ? CollFunction.SEND : CollFunction.RECV).ordinal())
                .pattern((isSend ? Pattern.SEND : Pattern.RECV).ordinal())
                .nsteps(nsteps).sliceSteps(1).chunkSteps(1).nbytes(slotBytes);
    }

    private static long dataBytes(Protocol protocol, long slotBytes) {
        return switch (protocol) {
            case LL -> LlLines.dataBytes(slotBytes);
            case LL128 -> Ll128Lines.dataBytes(slotBytes);
            case SIMPLE -> slotBytes;
        };
    }
}
