/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A posted op, as the progress agent reads it from its slot: RCCL's {@code ncclProxyOp}. The view moves from slot to
 * slot; nothing is allocated. Plain loads: the lane's positions made the op visible. {@link ProxyOpEncoder} writes it.
 */
public final class ProxyOp {
    private MemorySegment memory;
    private long base;
    private int ticket;

    ProxyOp() {
    }

    ProxyOp wrap(MemorySegment memory, long base) {
        this.memory = memory;
        this.base = base;
        return this;
    }

    void ticket(int ticket) {
        this.ticket = ticket;
    }

    /** {@return what {@link OpsFetcher#complete} wants when the op has ended} */
    public int ticket() {
        return ticket;
    }

    /**
     * Copies all of it.
     *
     * @param target at least {@link OpTemplate#BYTES} from the offset on
     * @param offset in bytes
     */
    public void copyTo(MemorySegment target, long offset) {
        MemorySegment.copy(memory, base, target, offset, ProxyOpDescriptor.BYTES);
    }

    /** {@return the connection the op runs on: its id, with generation} */
    public long connection() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CONNECTION);
    }

    /** {@return most bytes of one slice; of one step for point-to-point} */
    public long nbytes() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.NBYTES);
    }

    /**
     * {@return the grouping key: {@code sequence << 1 | tag}, tag 0 for collectives, 1 for point-to-point}
     */
    public long opCount() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.OP_COUNT);
    }

    /** {@return root rank of a collective; the peer for point-to-point} */
    public int root() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.ROOT);
    }

    /** {@return which connector of the peer: 0 collectives, 1 point-to-point} */
    public int connIndex() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.CONN_INDEX);
    }

    /** {@return steps of the op; a multiple of sliceSteps} */
    public int nsteps() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.NSTEPS);
    }

    /** {@return channel of the communicator} */
    public int channelId() {
        return Short.toUnsignedInt(memory.get(ValueLayout.JAVA_SHORT, base + ProxyOpDescriptor.CHANNEL_ID));
    }

    /** {@return steps of a slice} */
    public int sliceSteps() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.SLICE_STEPS));
    }

    /** {@return steps of a chunk} */
    public int chunkSteps() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.CHUNK_STEPS));
    }

    /** {@return bytes of a chunk} */
    public long chunkSize() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CHUNK_SIZE);
    }

    /** {@return bytes of a slice} */
    public long sliceSize() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SLICE_SIZE);
    }

    /** {@return bytes of one loop over all channels} */
    public long loopSize() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.LOOP_SIZE);
    }

    /** {@return byte offset of this channel in a loop} */
    public long loopOffset() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.LOOP_OFFSET);
    }

    /** {@return bytes of this channel's part} */
    public long channelSize() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.CHANNEL_SIZE);
    }

    /** {@return code of the {@link io.proxyrt.core.DataType}} */
    public int dtype() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.DTYPE));
    }

    /** {@return code of the {@link io.proxyrt.core.RedOp}, as a network sees it} */
    public int redOp() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.RED_OP));
    }

    /** {@return code of the executed {@link io.proxyrt.core.CollFunction}} */
    public int coll() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.COLL));
    }

    /** {@return code of the function the user called; a hint} */
    public int collApi() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.COLL_API));
    }

    /** {@return code of the {@link io.proxyrt.core.Pattern}} */
    public int pattern() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.PATTERN));
    }

    /** {@return code of the {@link io.proxyrt.core.Protocol}} */
    public int protocol() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.PROTOCOL));
    }

    /** {@return code of the algorithm; a hint} */
    public int algorithm() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.ALGORITHM));
    }

    /** {@return 1 if the user's memory is registered with the network} */
    public int reg() {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, base + ProxyOpDescriptor.REG));
    }

    /** {@return handle of a registered send buffer} */
    public long sendMhandle() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SEND_MHANDLE);
    }

    /** {@return handle of a registered receive buffer} */
    public long recvMhandle() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.RECV_MHANDLE);
    }

    /** {@return offset into the registered send buffer} */
    public long sendbuff() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.SENDBUFF);
    }

    /** {@return offset into the registered receive buffer} */
    public long recvbuff() {
        return memory.get(ValueLayout.JAVA_LONG, base + ProxyOpDescriptor.RECVBUFF);
    }

    /** {@return how many channels the operation uses; a hint for the network} */
    public int nChannels() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.N_CHANNELS);
    }

    /** {@return how many peers the operation talks to; a hint for the network} */
    public int nPeers() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.N_PEERS);
    }

    /** {@return successor in the ring, for dumps} */
    public int nextRank() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.NEXT_RANK);
    }

    /** {@return predecessor in the ring, for dumps} */
    public int prevRank() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.PREV_RANK);
    }

    /** {@return the rank that posted the op} */
    public int rank() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.RANK);
    }

    /** {@return the rank at the other end of the connection} */
    public int peer() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.PEER);
    }

    /** {@return how long it may take once fetched, in milliseconds; 0 for what the configuration says} */
    public int timeoutMs() {
        return memory.get(ValueLayout.JAVA_INT, base + ProxyOpDescriptor.TIMEOUT_MS);
    }

    @Override
    public String toString() {
        return "op " + opCount() + " rank " + rank() + " peer " + peer() + " channel " + channelId() + " connection "
                + Long.toHexString(connection());
    }
}
