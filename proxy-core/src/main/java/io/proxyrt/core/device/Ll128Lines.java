/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The lines of the LL128 protocol, of NCCL's size: 128 bytes, the last 8 of which are the flag.
 *
 * <pre>
 *   0                                                      120      128
 *  +-------------------------------------------------------+--------+
 *  | data                                                  | flag   |    flag = absolute step + 1
 *  +-------------------------------------------------------+--------+
 * </pre>
 *
 * <p>A warp writes a line as one, if the memory takes it so. A CPU cannot, so here the flag is stored after its data,
 * and read before them. Any thread; allocates nothing.
 *
 * <p>Between kernels that reach each other's lines the upper 24 bits of a flag have 24 of a stamp of its operation
 * xored into them. An old line could be taken for a new one only if it was left alone for 2⁴⁰ steps.
 */
public final class Ll128Lines {
    /** Bytes of a line. */
    public static final int LINE_BYTES = 128;
    /** Bytes of data in a line. */
    public static final int DATA_BYTES = 120;

    private static final int STAMP_SHIFT = 40;
    private static final VarHandle FLAG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private Ll128Lines() {
    }

    /**
     * The flag of a step.
     *
     * @param step absolute
     * @return never 0
     */
    public static long flag(long step) {
        return step + 1;
    }

    /**
     * The flag of a step that says whose it is.
     *
     * @param step  absolute
     * @param stamp of its operation
     * @return differs in the upper 24 bits only from those of the same step in other operations
     */
    public static long flag(long step, int stamp) {
        return flag(step) ^ (long) stamp << STAMP_SHIFT;
    }

    /**
     * Whether a line is of the step, and of another operation.
     *
     * @param buffer aligned to 8
     * @param offset of the line
     * @param flag   of the step that is waited for
     * @return false if it is of another step, or of the same operation
     */
    public static boolean isForeign(MemorySegment buffer, long offset, long flag) {
        long difference = (long) FLAG.getAcquire(buffer, offset + DATA_BYTES) ^ flag;
        return difference != 0 && difference << Long.SIZE - STAMP_SHIFT == 0;
    }

    /**
     * Bytes that data take on the wire.
     *
     * @param dataBytes of the user
     * @return a multiple of {@link #LINE_BYTES}
     */
    public static long wireBytes(long dataBytes) {
        return (dataBytes + DATA_BYTES - 1) / DATA_BYTES * LINE_BYTES;
    }

    /**
     * Bytes of data that fit.
     *
     * @param wireBytes of a slot
     * @return a multiple of {@link #DATA_BYTES}
     */
    public static long dataBytes(long wireBytes) {
        return wireBytes / LINE_BYTES * DATA_BYTES;
    }

    /**
     * Whether every line has the flag; if so, the data may be read.
     *
     * @param buffer    aligned to 8
     * @param offset    of the first line
     * @param wireBytes of all lines
     * @param flag      of the step
     * @return false as soon as one has not
     */
    public static boolean isReady(MemorySegment buffer, long offset, long wireBytes, long flag) {
        return firstMissing(buffer, offset, offset + wireBytes, flag) == offset + wireBytes;
    }

    /**
     * Looks for a line that has not the flag: so who waits for lines need look at each of them only once. The data of
     * all lines before it may be read.
     *
     * @param buffer aligned to 8
     * @param from   where the first line begins to look at
     * @param to     behind the last line
     * @param flag   of the step
     * @return where the first such line begins; to, if all have the flag
     */
    public static long firstMissing(MemorySegment buffer, long from, long to, long flag) {
        long at = from;
        // Pairs with the release store in pack.
        while (at < to && (long) FLAG.getAcquire(buffer, at + DATA_BYTES) == flag) {
            at += LINE_BYTES;
        }
        return at;
    }

    /**
     * Writes data as lines. What is left of the last line keeps what it had.
     *
     * @param from       memory of the user
     * @param fromOffset first byte
     * @param dataBytes  how many
     * @param to         buffer, aligned to 8
     * @param toOffset   of the first line
     * @param flag       of the step
     */
    public static void pack(MemorySegment from, long fromOffset, long dataBytes, MemorySegment to, long toOffset,
            long flag) {
        long at = toOffset;
        for (long i = 0; i < dataBytes; i += DATA_BYTES, at += LINE_BYTES) {
            MemorySegment.copy(from, fromOffset + i, to, at, Math.min(DATA_BYTES, dataBytes - i));
            FLAG.setRelease(to, at + DATA_BYTES, flag);
        }
    }

    /**
     * Reads data from lines that are {@linkplain #isReady ready}.
     *
     * @param from       buffer, aligned to 8
     * @param fromOffset of the first line
     * @param to         memory of the user
     * @param toOffset   first byte
     * @param dataBytes  how many
     */
    public static void unpack(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long dataBytes) {
        long at = fromOffset;
        for (long i = 0; i < dataBytes; i += DATA_BYTES, at += LINE_BYTES) {
            MemorySegment.copy(from, at, to, toOffset + i, Math.min(DATA_BYTES, dataBytes - i));
        }
    }
}
