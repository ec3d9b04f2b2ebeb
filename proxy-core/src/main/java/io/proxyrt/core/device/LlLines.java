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
 *
 * <p>Between kernels that reach each other's lines the first line of a step has a <em>mark</em> of its operation,
 * xored into the second flag. Every step writes its first line, and steps take the slots in turn: so what that word had
 * before is from the step 8 before, whose flag differs in bit 3, or is 0. Marks leave bit 3 alone, and those that are
 * not 0 have bit 4, which the flags of a slot's first use have not. So an old word is never taken for a new one,
 * whatever the marks; and a new word with another mark is told from an old one.
 */
public final class LlLines {
    /** Bytes of a line. */
    public static final int LINE_BYTES = 16;
    /** Bytes of data in a line. */
    public static final int DATA_BYTES = 8;

    /** The last steps before the flag would come round: {@code NCCL_LL_CLEAN_MASK}. */
    private static final long CLEAN_MASK = 0x7ffffff8L;
    private static final long LOW = 0xffffffffL;
    /** In a flag: differs from that of the step 8 before. */
    private static final int OTHER_LAP = 8;
    /** In a flag: not set in those of the first 8 steps, but for the last, which has OTHER_LAP. */
    private static final int NO_FIRST_LAP = 16;
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
        while (at < to && flagAt(buffer, at) == flag) {
            at += 8;
        }
        return at;
    }

    /**
     * The mark of an operation.
     *
     * @param stamp of the operation, any bits; 0 for none
     * @return 0 if stamp is 0
     */
    public static int mark(int stamp) {
        return stamp == 0 ? 0 : stamp & ~OTHER_LAP | NO_FIRST_LAP;
    }

    /**
     * Looks at the first line of a step that has a mark.
     *
     * @param buffer aligned to 8
     * @param offset of the line
     * @param flag   of the step
     * @param mark   of the operation that it should be a step of
     * @return 1 if the line is there, 0 if not, -1 if it is there and the step is one of another operation; 0 then,
     *         too, for the one flag of 2³² that is that operation's mark
     */
    public static int firstLine(MemorySegment buffer, long offset, int flag, int mark) {
        if (flagAt(buffer, offset) != flag) {
            return 0;
        }
        int second = flagAt(buffer, offset + 8);
        if (second == (flag ^ mark)) {
            return 1;
        }
        return second == 0 || ((second ^ flag) & OTHER_LAP) != 0 ? 0 : -1;
    }

    /**
     * Writes data as lines, of which the first has a mark; a step without data has one line.
     *
     * @param from       memory of the user
     * @param fromOffset first byte
     * @param dataBytes  how many
     * @param to         buffer, aligned to 8
     * @param toOffset   of the first line
     * @param flag       of the step
     * @param mark       of the operation
     */
    public static void pack(MemorySegment from, long fromOffset, long dataBytes, MemorySegment to, long toOffset,
            int flag, int mark) {
        int first = (int) Math.min(dataBytes, DATA_BYTES);
        long bits = first == DATA_BYTES ? (long) USER.get(from, fromOffset) : rest(from, fromOffset, first);
        LINE.setOpaque(to, toOffset, bits & LOW | (long) flag << 32);
        LINE.setOpaque(to, toOffset + 8, bits >>> 32 | (long) (flag ^ mark) << 32);
        pack(from, fromOffset + first, dataBytes - first, to, toOffset + LINE_BYTES, flag);
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

    private static int flagAt(MemorySegment buffer, long at) {
        return (int) ((long) LINE.getOpaque(buffer, at) >>> 32);
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
