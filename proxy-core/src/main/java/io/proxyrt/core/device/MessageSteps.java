/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;

/**
 * A message's way between memory of the user and the Simple slots of a connection: what a kernel of the host does at
 * one end, whatever the transport. It fills or empties slots as far as the connection's words allow, and never waits. A
 * {@link HostKernel} of one's own moves as many of them as it likes; the op of each, if its connection needs one, has
 * to say the same number of steps, as that of an {@code OpPlan} does.
 *
 * <p>Both ends have to have the same number of bytes, for slots do not say how full they are: where ranks count
 * different steps, the next message begins within this one, and in the end one of them waits until its time limit;
 * where they count the same, the one that expects more gets what was in the slot before. A peer that is gone ends the
 * wait by {@link #whyHopeless}.
 *
 * <p>The messages of a connection go one after the other, in the order of their kernels. Confined to the thread that
 * runs the kernel; allocates nothing unless it fails.
 */
public final class MessageSteps {
    private final DeviceConnection connection;
    private final boolean isSend;
    private final MemorySegment buffer;
    private final MemorySegment slots;
    private final long stepBytes;
    private final boolean isDirect;
    private long offset;
    private int left;

    private MessageSteps(DeviceConnection connection, boolean isSend, MemorySegment buffer) {
        this.connection = connection;
        this.isSend = isSend;
        this.buffer = buffer;
        this.slots = connection.buffer(Protocol.SIMPLE);
        this.stepBytes = connection.stepBytes(Protocol.SIMPLE);
        this.isDirect = connection.isDirect(Protocol.SIMPLE);
        if (slots == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the connection with " + connection.peerName()
                    + " has no Simple slots that kernels of the host reach");
        }
        restart();
    }

    /**
     * A message out.
     *
     * @param connection to its receiver
     * @param from       all of it; stays the caller's, and unchanged until the kernel has retired
     * @return before its first step
     */
    public static MessageSteps sending(DeviceConnection connection, MemorySegment from) {
        return new MessageSteps(connection, true, from);
    }

    /**
     * A message in.
     *
     * @param connection from its sender
     * @param to         exactly as long as what is sent, which is not checked; stays the caller's, and is all there
     *                   when the kernel has retired
     * @return before its first step
     */
    public static MessageSteps receiving(DeviceConnection connection, MemorySegment to) {
        return new MessageSteps(connection, false, to);
    }

    /**
     * How many steps a message takes.
     *
     * @param bytes     of it
     * @param stepBytes of the user's that a step carries
     * @return at least 1: an empty message takes one, too
     */
    public static int count(long bytes, long stepBytes) {
        return Math.max(1, Math.toIntExact(Math.ceilDiv(bytes, stepBytes)));
    }

    /** Begins again, for another message of the same memory; before its kernel is launched. */
    public void restart() {
        offset = 0;
        left = count(buffer.byteSize(), stepBytes);
    }

    /**
     * Moves as many steps as there are credits for, or data. Bounded: no more than a connection has slots.
     *
     * @return how many it moved
     */
    public int advance() {
        int moved = 0;
        while (left > 0 && moved < DeviceConnection.STEPS && isPossible()) {
            long bytes = Math.min(stepBytes, buffer.byteSize() - offset);
            if (isSend) {
                send(bytes);
            } else {
                receive(bytes);
            }
            offset += bytes;
            left--;
            moved++;
        }
        return moved;
    }

    /**
     * Whether all steps were moved: what is sent is in slots or gone, what is received is in the user's memory.
     *
     * @return true once nothing is left
     */
    public boolean isDone() {
        return left == 0;
    }

    /**
     * Why the next step will never be possible, for {@link HostKernel#whyHopeless()}.
     *
     * @return null while it may, or nothing is left
     */
    public ProxyException whyHopeless() {
        if (left == 0 || isPossible()) {
            return null;
        }
        return isSend ? connection.whyNoCredit() : connection.whyNoSteps(Protocol.SIMPLE);
    }

    private boolean isPossible() {
        long step = connection.step();
        return isSend ? connection.sendMem().head() + DeviceConnection.STEPS > step
                : connection.recvMem().tail() > step;
    }

    /** Size and mode go before tail, which a proxy reads first; between kernels there is tail alone. */
    private void send(long bytes) {
        long step = connection.step();
        connection.copier().copy(buffer, offset, slots, connection.slotOffset(Protocol.SIMPLE, step), bytes);
        if (!isDirect) {
            int slot = (int) (step % DeviceConnection.STEPS);
            connection.recvMem().mode(slot, connection.isShared() ? RecvMem.MODE_OFFSET : RecvMem.MODE_NORMAL);
            connection.recvMem().stamp(slot, 0);
            connection.recvMem().size(slot, bytes);
        }
        connection.step(step + 1);
        connection.recvMem().tail(step + 1);
    }

    private void receive(long bytes) {
        long step = connection.step();
        connection.copier().copy(slots, connection.slotOffset(Protocol.SIMPLE, step), buffer, offset, bytes);
        connection.step(step + 1);
        connection.sendMem().head(step + 1);
    }

    /** What it waits for, or that it does not; any thread, and then it may be over. */
    @Override
    public String toString() {
        String what = (isSend ? "send" : "receive") + " of " + buffer.byteSize() + " bytes ";
        if (left == 0) {
            return what + "is done";
        }
        return what + (isPossible() ? "moves" : "waits for " + (isSend ? "credit for step " : "step ")
                + (connection.step() + 1) + " from " + connection.peerName());
    }
}
