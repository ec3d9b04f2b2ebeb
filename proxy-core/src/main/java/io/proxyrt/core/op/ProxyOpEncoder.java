/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.jfr.OpPostedEvent;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * An op in preparation: sets the fields of {@link ProxyOp}; those that are not set are 0. One is made once and
 * {@linkplain OpsPoster#append(long, ProxyOpEncoder) appended} as often as one likes, which copies it, as RCCL does
 * with the ops of its plans. One thread at a time.
 */
public final class ProxyOpEncoder {
    /** What an op takes on a wire and in the ops pool. */
    public static final int BYTES = ProxyOpDescriptor.BYTES;

    private static final byte[] ZEROS = new byte[ProxyOpDescriptor.BYTES];

    private final byte[] bytes = new byte[ProxyOpDescriptor.BYTES];

    /** An op whose fields are 0. */
    public ProxyOpEncoder() {
    }

    /**
     * Copies the op to a wire.
     *
     * @param out takes {@link #BYTES} from its position on
     */
    public void put(ByteBuffer out) {
        out.put(bytes);
    }

    /**
     * Reads an op from a wire.
     *
     * @param in of which {@link #BYTES} are taken
     * @return with what stood there
     */
    public static ProxyOpEncoder get(ByteBuffer in) {
        ProxyOpEncoder op = new ProxyOpEncoder();
        in.get(op.bytes);
        ProxyOpDescriptor.LONG_VIEW.set(op.bytes, ProxyOpDescriptor.PUBLISHED, 0L);
        return op;
    }

    /**
     * Which connection the op is for.
     *
     * @return as set by {@link #connection(long)}
     */
    public long connection() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, ProxyOpDescriptor.CONNECTION);
    }

    /**
     * Why the op would be refused.
     *
     * @return as {@link ProxyOp#fault()}
     */
    public String fault() {
        return new ProxyOp(bytes, 0).fault();
    }

    void record(OpPostedEvent event) {
        ProxyOp op = new ProxyOp(bytes, 0);
        event.connection = op.connection();
        event.opCount = op.opCount();
        event.peer = op.peer();
        event.channel = op.channelId();
        event.steps = op.nsteps();
        event.sliceBytes = op.nbytes();
    }

    ProxyOpEncoder clear() {
        System.arraycopy(ZEROS, 0, bytes, 0, ProxyOpDescriptor.BYTES);
        return this;
    }

    /** Puts the op into its slot. */
    void write(MemorySegment memory, long slot) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, slot, ProxyOpDescriptor.BYTES);
    }

    ProxyOpEncoder opCount(long value) {
        ProxyOpDescriptor.LONG_VIEW.set(bytes, ProxyOpDescriptor.OP_COUNT, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#connection()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder connection(long value) {
        ProxyOpDescriptor.LONG_VIEW.set(bytes, ProxyOpDescriptor.CONNECTION, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#nbytes()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder nbytes(long value) {
        ProxyOpDescriptor.LONG_VIEW.set(bytes, ProxyOpDescriptor.NBYTES, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#root()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder root(int value) {
        ProxyOpDescriptor.INT_VIEW.set(bytes, ProxyOpDescriptor.ROOT, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#nsteps()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder nsteps(int value) {
        ProxyOpDescriptor.INT_VIEW.set(bytes, ProxyOpDescriptor.NSTEPS, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#channelId()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder channelId(int value) {
        ProxyOpDescriptor.SHORT_VIEW.set(bytes, ProxyOpDescriptor.CHANNEL_ID, (short) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#sliceSteps()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder sliceSteps(int value) {
        bytes[ProxyOpDescriptor.SLICE_STEPS] = (byte) value;
        return this;
    }

    /**
     * Sets {@link ProxyOp#chunkSteps()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder chunkSteps(int value) {
        bytes[ProxyOpDescriptor.CHUNK_STEPS] = (byte) value;
        return this;
    }

    /**
     * Sets {@link ProxyOp#chunkSize()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder chunkSize(long value) {
        ProxyOpDescriptor.LONG_VIEW.set(bytes, ProxyOpDescriptor.CHUNK_SIZE, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#loopSize()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder loopSize(long value) {
        ProxyOpDescriptor.LONG_VIEW.set(bytes, ProxyOpDescriptor.LOOP_SIZE, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#loopOffset()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder loopOffset(long value) {
        ProxyOpDescriptor.LONG_VIEW.set(bytes, ProxyOpDescriptor.LOOP_OFFSET, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#dtype()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder dtype(int value) {
        bytes[ProxyOpDescriptor.DTYPE] = (byte) value;
        return this;
    }

    /**
     * Sets {@link ProxyOp#redOp()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder redOp(int value) {
        bytes[ProxyOpDescriptor.RED_OP] = (byte) value;
        return this;
    }

    /**
     * Sets {@link ProxyOp#coll()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder coll(int value) {
        bytes[ProxyOpDescriptor.COLL] = (byte) value;
        return this;
    }

    /**
     * Sets {@link ProxyOp#pattern()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder pattern(int value) {
        bytes[ProxyOpDescriptor.PATTERN] = (byte) value;
        return this;
    }

    /**
     * Sets {@link ProxyOp#protocol()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder protocol(int value) {
        bytes[ProxyOpDescriptor.PROTOCOL] = (byte) value;
        return this;
    }

    /**
     * Sets {@link ProxyOp#reg()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder reg(int value) {
        bytes[ProxyOpDescriptor.REG] = (byte) value;
        return this;
    }

    /**
     * Sets {@link ProxyOp#sendMhandle()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder sendMhandle(long value) {
        ProxyOpDescriptor.LONG_VIEW.set(bytes, ProxyOpDescriptor.SEND_MHANDLE, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#recvMhandle()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder recvMhandle(long value) {
        ProxyOpDescriptor.LONG_VIEW.set(bytes, ProxyOpDescriptor.RECV_MHANDLE, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#sendbuff()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder sendbuff(long value) {
        ProxyOpDescriptor.LONG_VIEW.set(bytes, ProxyOpDescriptor.SENDBUFF, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#recvbuff()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder recvbuff(long value) {
        ProxyOpDescriptor.LONG_VIEW.set(bytes, ProxyOpDescriptor.RECVBUFF, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#rank()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder rank(int value) {
        ProxyOpDescriptor.INT_VIEW.set(bytes, ProxyOpDescriptor.RANK, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#peer()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder peer(int value) {
        ProxyOpDescriptor.INT_VIEW.set(bytes, ProxyOpDescriptor.PEER, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#timeoutMs()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder timeoutMs(int value) {
        ProxyOpDescriptor.INT_VIEW.set(bytes, ProxyOpDescriptor.TIMEOUT_MS, value);
        return this;
    }
}
