/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

/**
 * Layout of the counters file; little-endian, read by other processes while the writer runs, hangs or is dead.
 *
 * <pre>
 *    0 magic long "PRXCNT01"        stored last, with release: a file without it is not ready
 *    8 version int | counters int
 *   16 pid long
 *   24 rank int | nRanks int
 *   32 startEpochMs long
 *   40 heartbeatEpochMs long        of the progress agent, about every 100 ms
 *   48 textLength int               bytes of the first failure's text; stored after the text, with release
 *   52 rows int                     of the table of memory
 *   64 label of the job             64 bytes, UTF-8, zero-padded
 *  128 first failure's text         896 bytes, UTF-8
 * 1024 + 128 i  counter i:          value long @0 | kind int @64 | label 24 bytes @72, ASCII, zero-padded
 * then, 128 bytes each:               rows of the table of memory, see {@link MemoryRow}
 * then                                the black box, see {@link BlackBoxDescriptor}; none if the file ends here
 * </pre>
 */
final class CountersDescriptor {
    static final long MAGIC = 0x3130544e43585250L;
    static final int VERSION = 4;
    static final long VERSION_OFFSET = 8;
    static final long COUNT_OFFSET = 12;
    static final long PID_OFFSET = 16;
    static final long RANK_OFFSET = 24;
    static final long NRANKS_OFFSET = 28;
    static final long START_OFFSET = 32;
    static final long HEARTBEAT_OFFSET = 40;
    static final long TEXT_LENGTH_OFFSET = 48;
    static final long ROWS_OFFSET = 52;
    static final long JOB_OFFSET = 64;
    static final int JOB_BYTES = 64;
    static final long TEXT_OFFSET = 128;
    static final int TEXT_BYTES = 896;
    static final long VALUES_OFFSET = 1024;
    static final long VALUE_STRIDE = 128;
    static final long KIND_OFFSET = 64;
    static final long LABEL_OFFSET = 72;
    static final int LABEL_BYTES = 24;
    static final int MAX_COUNTERS = 1024;
    /** As many as a runtime writes. */
    static final int ROWS = 1024;
    static final int MAX_ROWS = 1 << 16;

    private CountersDescriptor() {
    }

    static long valueOffset(int index) {
        return VALUES_OFFSET + index * VALUE_STRIDE;
    }

    static long rowOffset(int counters, int row) {
        return valueOffset(counters) + row * MemoryRow.BYTES;
    }

    static long boxOffset(int counters, int rows) {
        return rowOffset(counters, rows);
    }
}
