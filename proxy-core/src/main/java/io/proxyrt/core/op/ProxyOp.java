/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/**
 * A posted op, as the progress agent reads it: RCCL's {@code ncclProxyOp}. It was copied out of its slot at once, as
 * one block, because that costs less than to look into shared memory for three of its fields. The view moves from op to
 * op; nothing is allocated. {@link ProxyOpEncoder} writes it.
 */
public final class ProxyOp {
    private final byte[] bytes;
    private final int firstTicket;
    private int base;
    private int ticket;

    /** A view of the first of the ops that lie in an array; their tickets follow one another. */
    ProxyOp(byte[] bytes, int firstTicket) {
        this.bytes = bytes;
        this.firstTicket = firstTicket;
        this.ticket = firstTicket;
    }

    /** Moves to another of the ops. */
    void moveTo(int index) {
        base = index * ProxyOpDescriptor.BYTES;
        ticket = firstTicket + index;
    }

    /** {@return why its sizes make no sense, or null if they do} */
    public String fault() {
        int slice = sliceSteps();
        int chunk = chunkSteps();
        if (slice < 1 || chunk < slice || chunk % slice != 0) {
            return "sliceSteps " + slice + " and chunkSteps " + chunk + " make no sense";
        }
        if (nsteps() < 1 || nsteps() % slice != 0) {
            return "nsteps " + nsteps() + " is no positive multiple of sliceSteps " + slice;
        }
        return nbytes() < 0 ? "nbytes " + nbytes() + " is negative" : null;
    }

    /** {@return what {@link OpsFetcher#complete} wants when the op has ended} */
    public int ticket() {
        return ticket;
    }

    /** {@return the connection the op runs on: its id, with generation} */
    public long connection() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, base + ProxyOpDescriptor.CONNECTION);
    }

    /** {@return most bytes of one slice; of one step for point-to-point} */
    public long nbytes() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, base + ProxyOpDescriptor.NBYTES);
    }

    /**
     * {@return the grouping key: {@code sequence << 1 | tag}, tag 0 for collectives, 1 for point-to-point}
     */
    public long opCount() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, base + ProxyOpDescriptor.OP_COUNT);
    }

    /** {@return root rank of a collective; the peer for point-to-point} */
    public int root() {
        return (int) ProxyOpDescriptor.INT_VIEW.get(bytes, base + ProxyOpDescriptor.ROOT);
    }

    /** {@return steps of the op; a multiple of sliceSteps} */
    public int nsteps() {
        return (int) ProxyOpDescriptor.INT_VIEW.get(bytes, base + ProxyOpDescriptor.NSTEPS);
    }

    /** {@return channel of the communicator} */
    public int channelId() {
        return Short.toUnsignedInt(
                (short) ProxyOpDescriptor.SHORT_VIEW.get(bytes, base + ProxyOpDescriptor.CHANNEL_ID));
    }

    /** {@return steps of a slice} */
    public int sliceSteps() {
        return Byte.toUnsignedInt(bytes[base + ProxyOpDescriptor.SLICE_STEPS]);
    }

    /** {@return steps of a chunk} */
    public int chunkSteps() {
        return Byte.toUnsignedInt(bytes[base + ProxyOpDescriptor.CHUNK_STEPS]);
    }

    /** {@return bytes of a chunk} */
    public long chunkSize() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, base + ProxyOpDescriptor.CHUNK_SIZE);
    }

    /** {@return bytes of one loop over all channels} */
    public long loopSize() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, base + ProxyOpDescriptor.LOOP_SIZE);
    }

    /** {@return byte offset of this channel in a loop} */
    public long loopOffset() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, base + ProxyOpDescriptor.LOOP_OFFSET);
    }

    /** {@return code of the {@link io.proxyrt.core.DataType}} */
    public int dtype() {
        return Byte.toUnsignedInt(bytes[base + ProxyOpDescriptor.DTYPE]);
    }

    /** {@return code of the {@link io.proxyrt.core.RedOp}, as a network sees it} */
    public int redOp() {
        return Byte.toUnsignedInt(bytes[base + ProxyOpDescriptor.RED_OP]);
    }

    /** {@return code of the executed {@link io.proxyrt.core.CollFunction}} */
    public int coll() {
        return Byte.toUnsignedInt(bytes[base + ProxyOpDescriptor.COLL]);
    }

    /** {@return code of the {@link io.proxyrt.core.Pattern}} */
    public int pattern() {
        return Byte.toUnsignedInt(bytes[base + ProxyOpDescriptor.PATTERN]);
    }

    /** {@return code of the {@link io.proxyrt.core.Protocol}} */
    public int protocol() {
        return Byte.toUnsignedInt(bytes[base + ProxyOpDescriptor.PROTOCOL]);
    }

    /** {@return 1 if the user's memory is registered with the network} */
    public int reg() {
        return Byte.toUnsignedInt(bytes[base + ProxyOpDescriptor.REG]);
    }

    /** {@return handle of a registered send buffer} */
    public long sendMhandle() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, base + ProxyOpDescriptor.SEND_MHANDLE);
    }

    /** {@return handle of a registered receive buffer} */
    public long recvMhandle() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, base + ProxyOpDescriptor.RECV_MHANDLE);
    }

    /** {@return offset into the registered send buffer} */
    public long sendbuff() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, base + ProxyOpDescriptor.SENDBUFF);
    }

    /** {@return offset into the registered receive buffer} */
    public long recvbuff() {
        return (long) ProxyOpDescriptor.LONG_VIEW.get(bytes, base + ProxyOpDescriptor.RECVBUFF);
    }

    /** {@return the rank that posted the op} */
    public int rank() {
        return (int) ProxyOpDescriptor.INT_VIEW.get(bytes, base + ProxyOpDescriptor.RANK);
    }

    /** {@return the rank at the other end of the connection} */
    public int peer() {
        return (int) ProxyOpDescriptor.INT_VIEW.get(bytes, base + ProxyOpDescriptor.PEER);
    }

    /** {@return how long it may take once fetched, in milliseconds; 0 for what the configuration says} */
    public int timeoutMs() {
        return (int) ProxyOpDescriptor.INT_VIEW.get(bytes, base + ProxyOpDescriptor.TIMEOUT_MS);
    }

    @Override
    public String toString() {
        return "op " + opCount() + " rank " + rank() + " peer " + peer() + " channel " + channelId() + " connection "
                + Long.toHexString(connection());
    }
}
