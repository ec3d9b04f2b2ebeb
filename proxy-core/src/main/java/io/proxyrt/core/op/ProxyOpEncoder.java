/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An op that is being posted: writes the fields of {@link ProxyOp} into a slot that nobody else sees yet. Fields that
 * are not set are 0. Moves from slot to slot; nothing is allocated.
 */
public final class ProxyOpEncoder {
    private MemorySegment memory;
    private long base;

    ProxyOpEncoder() {
    }

    ProxyOpEncoder wrap(MemorySegment memory, long base) {
        this.memory = memory;
        this.base = base;
        return this;
    }

    ProxyOpEncoder clear() {
        for (long offset = 0; offset < ProxyOpDescriptor.BYTES; offset += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, base + offset, 0L);
        }
        return this;
    }

    ProxyOpEncoder opCount(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.OP_COUNT, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#connection()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder connection(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CONNECTION, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#nbytes()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder nbytes(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.NBYTES, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#root()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder root(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.ROOT, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#connIndex()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder connIndex(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.CONN_INDEX, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#nsteps()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder nsteps(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.NSTEPS, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#channelId()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder channelId(int value) {
        memory.set(ValueLayout.JAVA_SHORT, base + ProxyOpDescriptor.CHANNEL_ID, (short) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#sliceSteps()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder sliceSteps(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.SLICE_STEPS, (byte) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#chunkSteps()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder chunkSteps(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.CHUNK_STEPS, (byte) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#chunkSize()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder chunkSize(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CHUNK_SIZE, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#sliceSize()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder sliceSize(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SLICE_SIZE, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#loopSize()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder loopSize(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.LOOP_SIZE, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#loopOffset()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder loopOffset(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.LOOP_OFFSET, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#channelSize()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder channelSize(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CHANNEL_SIZE, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#dtype()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder dtype(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.DTYPE, (byte) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#redOp()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder redOp(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.RED_OP, (byte) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#coll()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder coll(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.COLL, (byte) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#collApi()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder collApi(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.COLL_API, (byte) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#pattern()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder pattern(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.PATTERN, (byte) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#protocol()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder protocol(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.PROTOCOL, (byte) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#algorithm()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder algorithm(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.ALGORITHM, (byte) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#reg()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder reg(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.REG, (byte) value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#sendMhandle()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder sendMhandle(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SEND_MHANDLE, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#recvMhandle()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder recvMhandle(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.RECV_MHANDLE, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#sendbuff()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder sendbuff(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SENDBUFF, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#recvbuff()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder recvbuff(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.RECVBUFF, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#nChannels()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder nChannels(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.N_CHANNELS, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#nPeers()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder nPeers(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.N_PEERS, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#nextRank()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder nextRank(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.NEXT_RANK, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#prevRank()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder prevRank(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.PREV_RANK, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#rank()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder rank(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.RANK, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#peer()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder peer(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.PEER, value);
        return this;
    }

    /**
     * Sets {@link ProxyOp#timeoutMs()}.
     *
     * @param value new value
     * @return this
     */
    public ProxyOpEncoder timeoutMs(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.TIMEOUT_MS, value);
        return this;
    }
}
