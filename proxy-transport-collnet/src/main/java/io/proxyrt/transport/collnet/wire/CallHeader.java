/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import java.nio.ByteBuffer;
import java.util.Locale;

/** The head of a call, in a buffer from 0 on. No method but {@link #describe} and a failing check allocates. */
public final class CallHeader {
    /** Its size. */
    public static final int BYTES = 48;

    private static final int SEQ_AT = 8;
    private static final int OFFSET_AT = 16;
    private static final int WINDOW_AT = 24;
    private static final int PER_RANK_AT = 32;
    private static final int PAYLOAD_AT = 40;
    private static final CollFunction[] FUNCTIONS = CollFunction.values();
    private static final DataType[] TYPES = DataType.values();
    private static final RedOp[] OPS = RedOp.values();

    private CallHeader() {
    }

    /**
     * Writes one.
     *
     * @param out          from 0 on; its position and limit stay
     * @param function     all-reduce, all-gather or reduce-scatter
     * @param type         of the elements; any for all-gather, if all participants give the same
     * @param op           the reduction; as the type
     * @param seq          of the call
     * @param window       what is carried; for all-reduce the whole of a part
     * @param payloadBytes that follow in this frame
     */
    public static void put(ByteBuffer out, CollFunction function, DataType type, RedOp op, long seq,
            CollNetWindow window, long payloadBytes) {
        out.put(0, WireDescriptor.CALL).put(1, (byte) function.ordinal()).put(2, (byte) type.ordinal())
                .put(3, (byte) op.ordinal()).putInt(4, 0).putLong(SEQ_AT, seq).putLong(OFFSET_AT, window.offset())
                .putLong(WINDOW_AT, window.bytes()).putLong(PER_RANK_AT, window.bytesPerRank())
                .putLong(PAYLOAD_AT, payloadBytes);
    }

    /**
     * Checks all fields but the payload's size: they are within limits, and fit each other.
     *
     * @param in     a header
     * @param nRanks participants of the group
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if they do not
     */
    public static void check(ByteBuffer in, int nRanks) {
        if (in.get(1) < 0 || in.get(1) >= FUNCTIONS.length || in.get(2) < 0 || in.get(2) >= TYPES.length
                || in.get(3) < 0 || in.get(3) >= OPS.length || in.getInt(4) != 0 || !isWindow(in, nRanks)) {
            throw WireDescriptor.malformed("a call of function " + in.get(1) + ", data type " + in.get(2)
                    + ", reduction " + in.get(3) + ", window " + windowOffset(in) + " + " + windowBytes(in) + " of "
                    + nRanks + " x " + bytesPerRank(in) + " bytes");
        }
    }

    private static boolean isWindow(ByteBuffer in, int nRanks) {
        final long offset = windowOffset(in);
        final long bytes = windowBytes(in);
        final long perRank = bytesPerRank(in);
        if (bytes < 1 || offset < 0 || perRank < 1 || perRank > WireDescriptor.MAX_CALL_BYTES / nRanks) {
            return false;
        }
        return switch (function(in)) {
            case ALL_REDUCE -> offset == 0 && bytes == perRank && isReducible(in);
            case ALL_GATHER -> bytes <= perRank * nRanks && offset <= perRank * nRanks - bytes;
            case REDUCE_SCATTER -> bytes <= perRank * nRanks && offset <= perRank * nRanks - bytes && isReducible(in);
            default -> false;
        };
    }

    /** Whole elements, and an operator that needs no number of ranks. */
    private static boolean isReducible(ByteBuffer in) {
        final int size = type(in).sizeBytes();
        return op(in) != RedOp.AVG && windowOffset(in) % size == 0 && windowBytes(in) % size == 0
                && bytesPerRank(in) % size == 0;
    }

    /**
     * Whether two participants make the same call; their payloads may differ in size.
     *
     * @param a a header
     * @param b another one
     * @return true if so
     */
    public static boolean isSame(ByteBuffer a, ByteBuffer b) {
        return a.getLong(0) == b.getLong(0) && seq(a) == seq(b) && windowOffset(a) == windowOffset(b)
                && windowBytes(a) == windowBytes(b) && bytesPerRank(a) == bytesPerRank(b);
    }

    /**
     * What is called.
     *
     * @param in a checked header
     * @return the function
     */
    public static CollFunction function(ByteBuffer in) {
        return FUNCTIONS[in.get(1)];
    }

    /**
     * Of the elements.
     *
     * @param in a checked header
     * @return the type
     */
    public static DataType type(ByteBuffer in) {
        return TYPES[in.get(2)];
    }

    /**
     * The reduction.
     *
     * @param in a checked header
     * @return the operator
     */
    public static RedOp op(ByteBuffer in) {
        return OPS[in.get(3)];
    }

    /**
     * Of the call.
     *
     * @param in a header
     * @return its number within the group
     */
    public static long seq(ByteBuffer in) {
        return in.getLong(SEQ_AT);
    }

    /**
     * Where the window begins.
     *
     * @param in a header
     * @return bytes
     */
    public static long windowOffset(ByteBuffer in) {
        return in.getLong(OFFSET_AT);
    }

    /**
     * The window's size.
     *
     * @param in a header
     * @return bytes
     */
    public static long windowBytes(ByteBuffer in) {
        return in.getLong(WINDOW_AT);
    }

    /**
     * The size of each participant's part.
     *
     * @param in a header
     * @return bytes
     */
    public static long bytesPerRank(ByteBuffer in) {
        return in.getLong(PER_RANK_AT);
    }

    /**
     * What follows in this frame: the call's payload, or a part of it.
     *
     * @param in a header
     * @return bytes
     */
    public static long payloadBytes(ByteBuffer in) {
        return in.getLong(PAYLOAD_AT);
    }

    /**
     * A call in words.
     *
     * @param in a checked header
     * @return such as {@code all_reduce of 4096 float sum (call 7)}
     */
    public static String describe(ByteBuffer in) {
        final String name = function(in).name().toLowerCase(Locale.ROOT);
        final String call = " (call " + seq(in) + ")";
        final String window = ", bytes " + windowOffset(in) + " + " + windowBytes(in);
        return switch (function(in)) {
            case ALL_REDUCE -> name + " of " + elements(in) + call;
            case REDUCE_SCATTER -> name + " of " + elements(in) + " a participant" + window + call;
            default -> name + " of " + bytesPerRank(in) + " bytes a participant" + window + call;
        };
    }

    private static String elements(ByteBuffer in) {
        return bytesPerRank(in) / type(in).sizeBytes() + " " + type(in).label() + " " + op(in).label();
    }
}
