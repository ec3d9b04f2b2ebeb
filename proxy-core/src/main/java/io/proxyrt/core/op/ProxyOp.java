/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * A view of one op in a lane's slot: RCCL's {@code ncclProxyOp}. Its owner, the poster before it posts and the progress
 * agent while it fetches, moves the view from slot to slot; nothing is allocated. Accessors are plain loads and stores:
 * the lane's positions publish them.
 */
public final class ProxyOp {
    private MemorySegment memory;
    private long base;

    ProxyOp() {
    }

    ProxyOp wrap(MemorySegment memory, long base) {
        this.memory = Objects.requireNonNull(memory);
        this.base = base;
        return this;
    }

    ProxyOp clear() {
        for (long offset = 0; offset < ProxyOpDescriptor.BYTES; offset += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, base + offset, 0L);
        }
        return this;
    }

    /**
     * The connection the op runs on: its id, with generation.
     *
     * @return as posted
     */
    public long connection() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CONNECTION);
    }

    /**
     * Sets {@link #connection()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp connection(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CONNECTION, value);
        return this;
    }

    /**
     * Most bytes of one slice; of one step for point-to-point.
     *
     * @return as posted
     */
    public long nbytes() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.NBYTES);
    }

    /**
     * Sets {@link #nbytes()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp nbytes(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.NBYTES, value);
        return this;
    }

    /**
     * The grouping key: {@code sequence << 1 | tag}, tag 0 for collectives, 1 for point-to-point. Set by the poster.
     *
     * @return as posted
     */
    public long opCount() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.OP_COUNT);
    }

    void opCount(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.OP_COUNT, value);
    }

    /**
     * Root rank of a collective; the peer for point-to-point.
     *
     * @return as posted
     */
    public int root() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.ROOT);
    }

    /**
     * Sets {@link #root()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp root(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.ROOT, value);
        return this;
    }

    /**
     * Which connector of the peer: 0 collectives, 1 point-to-point.
     *
     * @return as posted
     */
    public int connIndex() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.CONN_INDEX);
    }

    /**
     * Sets {@link #connIndex()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp connIndex(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.CONN_INDEX, value);
        return this;
    }

    /**
     * Steps of the op; a multiple of sliceSteps.
     *
     * @return as posted
     */
    public int nsteps() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.NSTEPS);
    }

    /**
     * Sets {@link #nsteps()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp nsteps(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.NSTEPS, value);
        return this;
    }

    /**
     * Channel of the communicator.
     *
     * @return as posted
     */
    public int channelId() {
        return Short.toUnsignedInt(memory.get(ValueLayout.JAVA_SHORT, base + ProxyOpDescriptor.CHANNEL_ID));
    }

    /**
     * Sets {@link #channelId()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp channelId(int value) {
        memory.set(ValueLayout.JAVA_SHORT, base + ProxyOpDescriptor.CHANNEL_ID, (short) value);
        return this;
    }

    /**
     * Steps of a slice.
     *
     * @return as posted
     */
    public int sliceSteps() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.SLICE_STEPS));
    }

    /**
     * Sets {@link #sliceSteps()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp sliceSteps(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.SLICE_STEPS, (byte) value);
        return this;
    }

    /**
     * Steps of a chunk.
     *
     * @return as posted
     */
    public int chunkSteps() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.CHUNK_STEPS));
    }

    /**
     * Sets {@link #chunkSteps()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp chunkSteps(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.CHUNK_STEPS, (byte) value);
        return this;
    }

    /**
     * Bytes of a chunk.
     *
     * @return as posted
     */
    public long chunkSize() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CHUNK_SIZE);
    }

    /**
     * Sets {@link #chunkSize()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp chunkSize(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CHUNK_SIZE, value);
        return this;
    }

    /**
     * Bytes of a slice.
     *
     * @return as posted
     */
    public long sliceSize() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SLICE_SIZE);
    }

    /**
     * Sets {@link #sliceSize()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp sliceSize(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SLICE_SIZE, value);
        return this;
    }

    /**
     * Bytes of one loop over all channels.
     *
     * @return as posted
     */
    public long loopSize() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.LOOP_SIZE);
    }

    /**
     * Sets {@link #loopSize()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp loopSize(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.LOOP_SIZE, value);
        return this;
    }

    /**
     * Byte offset of this channel in a loop.
     *
     * @return as posted
     */
    public long loopOffset() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.LOOP_OFFSET);
    }

    /**
     * Sets {@link #loopOffset()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp loopOffset(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.LOOP_OFFSET, value);
        return this;
    }

    /**
     * Bytes of this channel's part.
     *
     * @return as posted
     */
    public long channelSize() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CHANNEL_SIZE);
    }

    /**
     * Sets {@link #channelSize()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp channelSize(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CHANNEL_SIZE, value);
        return this;
    }

    /**
     * Code of the {@link io.proxyrt.core.DataType}.
     *
     * @return as posted
     */
    public int dtype() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.DTYPE));
    }

    /**
     * Sets {@link #dtype()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp dtype(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.DTYPE, (byte) value);
        return this;
    }

    /**
     * Code of the {@link io.proxyrt.core.RedOp}, as a network sees it.
     *
     * @return as posted
     */
    public int redOp() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.RED_OP));
    }

    /**
     * Sets {@link #redOp()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp redOp(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.RED_OP, (byte) value);
        return this;
    }

    /**
     * Code of the executed {@link io.proxyrt.core.CollFunction}.
     *
     * @return as posted
     */
    public int coll() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.COLL));
    }

    /**
     * Sets {@link #coll()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp coll(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.COLL, (byte) value);
        return this;
    }

    /**
     * Code of the function the user called; a hint.
     *
     * @return as posted
     */
    public int collApi() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.COLL_API));
    }

    /**
     * Sets {@link #collApi()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp collApi(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.COLL_API, (byte) value);
        return this;
    }

    /**
     * Code of the {@link io.proxyrt.core.Pattern}.
     *
     * @return as posted
     */
    public int pattern() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.PATTERN));
    }

    /**
     * Sets {@link #pattern()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp pattern(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.PATTERN, (byte) value);
        return this;
    }

    /**
     * Code of the {@link io.proxyrt.core.Protocol}.
     *
     * @return as posted
     */
    public int protocol() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.PROTOCOL));
    }

    /**
     * Sets {@link #protocol()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp protocol(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.PROTOCOL, (byte) value);
        return this;
    }

    /**
     * Code of the algorithm; a hint.
     *
     * @return as posted
     */
    public int algorithm() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.ALGORITHM));
    }

    /**
     * Sets {@link #algorithm()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp algorithm(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.ALGORITHM, (byte) value);
        return this;
    }

    /**
     * 1 if the user's memory is registered with the network.
     *
     * @return as posted
     */
    public int reg() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.REG));
    }

    /**
     * Sets {@link #reg()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp reg(int value) {
        memory.set(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.REG, (byte) value);
        return this;
    }

    /**
     * Handle of a registered send buffer.
     *
     * @return as posted
     */
    public long sendMhandle() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SEND_MHANDLE);
    }

    /**
     * Sets {@link #sendMhandle()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp sendMhandle(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SEND_MHANDLE, value);
        return this;
    }

    /**
     * Handle of a registered receive buffer.
     *
     * @return as posted
     */
    public long recvMhandle() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.RECV_MHANDLE);
    }

    /**
     * Sets {@link #recvMhandle()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp recvMhandle(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.RECV_MHANDLE, value);
        return this;
    }

    /**
     * Offset into the registered send buffer.
     *
     * @return as posted
     */
    public long sendbuff() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SENDBUFF);
    }

    /**
     * Sets {@link #sendbuff()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp sendbuff(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SENDBUFF, value);
        return this;
    }

    /**
     * Offset into the registered receive buffer.
     *
     * @return as posted
     */
    public long recvbuff() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.RECVBUFF);
    }

    /**
     * Sets {@link #recvbuff()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp recvbuff(long value) {
        memory.set(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.RECVBUFF, value);
        return this;
    }

    /**
     * How many channels the operation uses; a hint for the network.
     *
     * @return as posted
     */
    public int nChannels() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.N_CHANNELS);
    }

    /**
     * Sets {@link #nChannels()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp nChannels(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.N_CHANNELS, value);
        return this;
    }

    /**
     * How many peers the operation talks to; a hint for the network.
     *
     * @return as posted
     */
    public int nPeers() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.N_PEERS);
    }

    /**
     * Sets {@link #nPeers()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp nPeers(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.N_PEERS, value);
        return this;
    }

    /**
     * Successor in the ring, for dumps.
     *
     * @return as posted
     */
    public int nextRank() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.NEXT_RANK);
    }

    /**
     * Sets {@link #nextRank()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp nextRank(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.NEXT_RANK, value);
        return this;
    }

    /**
     * Predecessor in the ring, for dumps.
     *
     * @return as posted
     */
    public int prevRank() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.PREV_RANK);
    }

    /**
     * Sets {@link #prevRank()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp prevRank(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.PREV_RANK, value);
        return this;
    }

    /**
     * The rank that posted the op.
     *
     * @return as posted
     */
    public int rank() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.RANK);
    }

    /**
     * Sets {@link #rank()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp rank(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.RANK, value);
        return this;
    }

    /**
     * The rank at the other end of the connection.
     *
     * @return as posted
     */
    public int peer() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.PEER);
    }

    /**
     * Sets {@link #peer()}.
     *
     * @param value what to post
     * @return this
     */
    public ProxyOp peer(int value) {
        memory.set(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.PEER, value);
        return this;
    }

    @Override
    public String toString() {
        return "op " + opCount() + " rank " + rank() + " peer " + peer() + " channel " + channelId() + " connection "
                + Long.toHexString(connection());
    }
}
