/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/**
 * The arguments of a collective's launch: NCCL's {@code ncclDevWorkColl}. Belongs to a kernel and is filled anew for
 * each launch, by the launching thread.
 */
public final class CollectiveWork {
    private final int nRanks;
    private long opCount;
    private CollFunction function;
    private MemorySegment sendBuffer;
    private MemorySegment recvBuffer;
    private DataType type;
    private ReduceOp op;
    private int root;
    private int file;
    private long bytes;
    /** Null if all ranks' parts are alike. */
    private PartTable parts;
    private PartTable ownParts;
    private boolean areWhole;
    private Protocol protocol = Protocol.SIMPLE;
    private boolean isGathered;
    private long wholeChunk = RingGeometry.WHOLE_CHUNK_BYTES;
    private boolean isRecvInPlace;
    private boolean isSendInPlace;
    private final UserPlaces places = new UserPlaces();

    /**
     * Arguments that say nothing yet.
     *
     * @param nRanks in the group
     */
    public CollectiveWork(int nRanks) {
        this.nRanks = nRanks;
    }

    /**
     * Says what to do.
     *
     * @param function which collective
     * @param type     of the elements
     * @param op       null if nothing is reduced
     * @param root     of a broadcast or a reduce
     * @return this
     */
    public CollectiveWork function(CollFunction function, DataType type, ReduceOp op, int root) {
        this.function = function;
        this.type = type;
        this.op = op;
        this.root = root;
        this.file = 0;
        return this;
    }

    /**
     * Says by which file, of collectives without a root; after the function.
     *
     * @param number of the file, from 1 on; 0: by none
     * @return this
     */
    public CollectiveWork file(int number) {
        this.file = number;
        return this;
    }

    /** {@return the number of the file by which it goes; 0 if by none} */
    public int file() {
        return file;
    }

    /**
     * Says which launch it is, for messages.
     *
     * @param opCount of the collective
     */
    public void opCount(long opCount) {
        this.opCount = opCount;
    }

    /**
     * Says with which data.
     *
     * @param sendBuffer input
     * @param recvBuffer output, may be the input
     * @param bytes      of the whole buffer; for all-gather and reduce-scatter of one rank's part, and then also from
     *                   one part to the next in the larger buffer
     * @return this
     */
    public CollectiveWork buffers(MemorySegment sendBuffer, MemorySegment recvBuffer, long bytes) {
        this.sendBuffer = sendBuffer;
        this.recvBuffer = recvBuffer;
        this.bytes = bytes;
        this.parts = null;
        this.areWhole = false;
        return this;
    }

    /**
     * Says with which data, where each rank has a part of another size.
     *
     * @param sendBuffer input
     * @param recvBuffer output, may be a part of the input, or the input one of it
     * @param table      parts of the larger buffer; copied
     * @return this
     */
    public CollectiveWork buffers(MemorySegment sendBuffer, MemorySegment recvBuffer, PartTable table) {
        buffers(sendBuffer, recvBuffer, table.mostBytes());
        if (ownParts == null) {
            ownParts = new PartTable(nRanks);
        }
        parts = ownParts.set(table);
        return this;
    }

    /**
     * Says of parts that the smaller buffer is as large as the other one, and this rank's part lies in it where it does
     * there; after the buffers.
     */
    public void areWhole() {
        areWhole = true;
    }

    /**
     * Says how.
     *
     * @param protocol   of all steps
     * @param isGathered all-reduce only: whether the inputs go round the ring and every rank reduces them all
     * @return this
     */
    public CollectiveWork way(Protocol protocol, boolean isGathered) {
        this.protocol = protocol;
        this.isGathered = isGathered;
        return this;
    }

    /**
     * Says which chunks are cut into slices; it stays so.
     *
     * @param bytes up to which a chunk is one slice, the same at all ranks; at first what kernels of GPUs take
     * @return this
     */
    public CollectiveWork wholeChunk(long bytes) {
        this.wholeChunk = bytes;
        return this;
    }

    /**
     * Says whether the memory is registered; Simple only, and not gathered.
     *
     * @param isRecvInPlace whether the output is, with the connection from the predecessor
     * @param isSendInPlace whether both buffers are, with the connection to the successor
     * @return this
     */
    public CollectiveWork inPlace(boolean isRecvInPlace, boolean isSendInPlace) {
        this.isRecvInPlace = isRecvInPlace;
        this.isSendInPlace = isSendInPlace;
        return this;
    }

    /** {@return which launch it is} */
    public long opCount() {
        return opCount;
    }

    /** {@return how steps travel} */
    public Protocol protocol() {
        return protocol;
    }

    /** {@return bytes up to which a chunk is one slice} */
    public long wholeChunk() {
        return wholeChunk;
    }

    /** {@return whether every rank reduces all inputs} */
    public boolean isGathered() {
        return isGathered;
    }

    /** {@return whether what comes in is put right into the user's memory} */
    public boolean isRecvInPlace() {
        return isRecvInPlace;
    }

    /** {@return where both buffers are, if what goes out is taken from there} */
    public UserPlaces places() {
        return places;
    }

    /** {@return whether what goes out is taken right from the user's memory} */
    public boolean isSendInPlace() {
        return isSendInPlace;
    }

    /** {@return which collective} */
    public CollFunction function() {
        return function;
    }

    /** {@return the type of the elements} */
    public DataType type() {
        return type;
    }

    /** {@return how to reduce, or null} */
    public ReduceOp op() {
        return op;
    }

    /** {@return the root of a broadcast or a reduce} */
    public int root() {
        return root;
    }

    /** {@return as {@link OpWord#word}} */
    public long word() {
        return OpWord.word(function, type, op, file > 0 ? file : root) | (parts == null ? 0 : parts.word());
    }

    /** {@return as {@link OpWord#stamp}} */
    public int stamp() {
        return OpWord.stamp(word(), bytes);
    }

    /** {@return the bytes of the whole buffer, or of one rank's part, the largest of them} */
    public long bytes() {
        return bytes;
    }

    /** {@return whether each rank has a part of one of the buffers} */
    public boolean hasParts() {
        return switch (function) {
            case ALL_GATHER, ALL_GATHERV, REDUCE_SCATTER, REDUCE_SCATTERV -> true;
            default -> false;
        };
    }

    /** {@return whether the parts of ranks have different sizes} */
    public boolean isUneven() {
        return parts != null;
    }

    /**
     * The size of a rank's part.
     *
     * @param rank whose
     * @return bytes
     */
    public long partBytes(int rank) {
        return parts == null ? bytes : parts.bytes(rank);
    }

    /**
     * Where a rank's part begins in the larger buffer.
     *
     * @param rank whose
     * @return bytes from its beginning
     */
    public long partOffset(int rank) {
        return parts == null ? rank * bytes : parts.offset(rank);
    }

    /** Where a rank's part begins in the smaller buffer. */
    long ownOffset(int rank) {
        return areWhole ? partOffset(rank) : 0;
    }

    private long allPartsBytes() {
        return parts == null ? bytes * nRanks : parts.endBytes();
    }

    /**
     * The size of a rank's input, as far as it reaches.
     *
     * @param rank whose
     * @return bytes
     */
    public long sendBytes(int rank) {
        return switch (function) {
            case REDUCE_SCATTER, REDUCE_SCATTERV -> allPartsBytes();
            default -> partBytes(rank);
        };
    }

    /**
     * The size of a rank's output, as far as it reaches.
     *
     * @param rank whose
     * @return bytes
     */
    public long recvBytes(int rank) {
        return switch (function) {
            case ALL_GATHER, ALL_GATHERV -> allPartsBytes();
            default -> partBytes(rank);
        };
    }

    /** {@return the input} */
    public MemorySegment sendBuffer() {
        return sendBuffer;
    }

    /** {@return the output} */
    public MemorySegment recvBuffer() {
        return recvBuffer;
    }

    /** {@return the collective, its number and its arguments, for people} */
    @Override
    public String toString() {
        return function.name().toLowerCase(Locale.ROOT) + " #" + opCount + " of " + (parts == null ? "" : "up to ")
                + bytes / type.sizeBytes() + " " + type + (op == null ? "" : " " + op);
    }

    /**
     * Says there what is asked for here.
     *
     * @param other where
     */
    public void copyTo(CollectiveWork other) {
        other.function(function, type, op, root).file(file);
        if (parts == null) {
            other.buffers(sendBuffer, recvBuffer, bytes);
        } else {
            other.buffers(sendBuffer, recvBuffer, parts);
        }
    }

    /**
     * Hands what is asked for to another kernel, and forgets it.
     *
     * @param other that kernel's
     */
    public void moveTo(CollectiveWork other) {
        copyTo(other);
        clear();
    }

    /** Forgets the user's memory. */
    public void clear() {
        sendBuffer = null;
        recvBuffer = null;
        parts = null;
    }

    /**
     * Whether this rank's part of the larger buffer is the smaller buffer; the whole is, if there is but one size. On
     * the Java heap it never is, for there an address says nothing: copying a buffer to itself does no harm.
     */
    boolean isInPlace(int rank) {
        if (!sendBuffer.isNative() || !recvBuffer.isNative()) {
            return false;
        }
        return switch (function) {
            case ALL_GATHER, ALL_GATHERV -> sendBuffer.address() + ownOffset(rank)
                    == recvBuffer.address() + partOffset(rank);
            case REDUCE_SCATTER, REDUCE_SCATTERV ->
                recvBuffer.address() + ownOffset(rank)
                        == sendBuffer.address() + partOffset(rank);
            default -> sendBuffer.address() == recvBuffer.address();
        };
    }
}
