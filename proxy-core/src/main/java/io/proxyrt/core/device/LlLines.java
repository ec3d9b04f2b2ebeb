/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The lines of the LL protocol: every 8 bytes carry half of them as a flag, so that a reader that sees the flag has the
 * data, without any other word.
 *
 * <pre>
 *   0       4       8       12      16
 *  +-------+-------+-------+-------+
 *  | data1 | flag  | data2 | flag  |    flag = low 32 bits of absolute step + 1
 *  +-------+-------+-------+-------+
 * </pre>
 *
 * <p>Written and read 8 bytes at a time, which neither can tear. Any thread; allocates nothing.
 */
public final class LlLines {
    /** Bytes of a line. */
    public static final int LINE_BYTES = 16;
    /** Bytes of data in a line. */
    public static final int DATA_BYTES = 8;

    /** The last steps before the flag would come round: {@code NCCL_LL_CLEAN_MASK}. */
    private static final long CLEAN_MASK = 0x7ffffff8L;
    private static final long LOW = 0xffffffffL;
    private static final VarHandle LINE = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final VarHandle USER = ValueLayout.JAVA_LONG_UNALIGNED.varHandle().withInvokeExactBehavior();

    private LlLines() {
    }

    /**
     * The flag of a step.
     *
     * @param step absolute
     * @return never that of one of the steps just before in the same slot
     */
    public static int flag(long step) {
        return (int) (step + 1);
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
     * Whether the step must fill its whole slot with its flag: one of the last before the flags begin anew, so that no
     * line which later steps do not write still has the flag that one of them will look for.
     *
     * @param step absolute
     * @return true for 8 steps in 2³¹
     */
    public static boolean isCleaning(long step) {
        return (step & CLEAN_MASK) == CLEAN_MASK;
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
    public static boolean isReady(MemorySegment buffer, long offset, long wireBytes, int flag) {
        return firstMissing(buffer, offset, offset + wireBytes, flag) == offset + wireBytes;
    }

    /**
     * Looks for a word that has not the flag: so who waits for lines need look at each of them only once.
     *
     * @param buffer aligned to 8
     * @param from   where to begin, a multiple of 8
     * @param to     behind the last line
     * @param flag   of the step
     * @return where the first such word is; to, if all have the flag
     */
    public static long firstMissing(MemorySegment buffer, long from, long to, int flag) {
        long at = from;
        // A data race by design: the flag comes with its data, in one word.
        while (at < to && (int) ((long) LINE.getOpaque(buffer, at) >>> 32) == flag) {
            at += 8;
        }
        return at;
    }

    /**
     * Writes data as lines. The last line is filled up with zeros.
     *
     * @param from       memory of the user
     * @param fromOffset first byte
     * @param dataBytes  how many
     * @param to         buffer, aligned to 8
     * @param toOffset   of the first line
     * @param flag       of the step
     */
    public static void pack(MemorySegment from, long fromOffset, long dataBytes, MemorySegment to, long toOffset,
            int flag) {
        long flagBits = (long) flag << 32;
        long whole = dataBytes & -DATA_BYTES;
        for (long i = 0; i < whole; i += DATA_BYTES) {
            put(to, toOffset + 2 * i, (long) USER.get(from, fromOffset + i), flagBits);
        }
        if (whole < dataBytes) {
            put(to, toOffset + 2 * whole, rest(from, fromOffset + whole, (int) (dataBytes - whole)), flagBits);
        }
    }

    /**
     * Writes lines without data.
     *
     * @param to     buffer, aligned to 8
     * @param offset of the first line
     * @param bytes  of all lines
     * @param flag   of the step
     */
    public static void clean(MemorySegment to, long offset, long bytes, int flag) {
        for (long at = offset; at < offset + bytes; at += LINE_BYTES) {
            put(to, at, 0, (long) flag << 32);
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
        long whole = dataBytes & -DATA_BYTES;
        for (long i = 0; i < whole; i += DATA_BYTES) {
            USER.set(to, toOffset + i, get(from, fromOffset + 2 * i));
        }
        long last = whole < dataBytes ? get(from, fromOffset + 2 * whole) : 0;
        for (long i = whole; i < dataBytes; i++, last >>>= 8) {
            to.set(ValueLayout.JAVA_BYTE, toOffset + i, (byte) last);
        }
    }

    private static void put(MemorySegment to, long at, long bits, long flagBits) {
        LINE.setOpaque(to, at, bits & LOW | flagBits);
        LINE.setOpaque(to, at + 8, bits >>> 32 | flagBits);
    }

    private static long get(MemorySegment from, long at) {
        return (long) LINE.getOpaque(from, at) & LOW | (long) LINE.getOpaque(from, at + 8) << 32;
    }

    private static long rest(MemorySegment from, long offset, int bytes) {
        long bits = 0;
        for (int i = bytes - 1; i >= 0; i--) {
            bits = bits << 8 | from.get(ValueLayout.JAVA_BYTE, offset + i) & 0xff;
        }
        return bits;
    }
}
