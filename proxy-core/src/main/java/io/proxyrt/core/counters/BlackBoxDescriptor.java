/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

/**
 * Layout of the black box, the last part of the counters file.
 *
 * <pre>
 *   0 anchorNs long | anchorMs long     one moment, of the monotonic clock and since the epoch
 *  16 activeRows int | waits int        of a snapshot
 *  24 rings int | events int            of a ring
 *  32 traffic int                       rows
 *  64 snapshot long                     number of the last whole one, with release; number n is in place n mod 2
 * 128 two snapshots:
 *       0 publishedNs long | rows int | ops int | waits int     ops: also those that found no row
 *      64 rows of 128 bytes, see {@link ActiveOps}
 *         waits of 256 bytes: sinceNs long | text 248 bytes, UTF-8, zero-padded
 * then rings:
 *       0 position long                 events that were ever written, with release
 *       8 finished long                number of the last call that is known to have ended
 *      16 ended long                   events that were written when all calls before had ended
 *      24 name                          104 bytes, UTF-8, zero-padded; none: the ring is free
 *     128 events of 40 bytes, see {@link EventRing}
 * then traffic, see {@link Traffic}
 * </pre>
 */
final class BlackBoxDescriptor {
    static final long ANCHOR_NS_OFFSET = 0;
    static final long ANCHOR_MS_OFFSET = 8;
    static final long ROWS_OFFSET = 16;
    static final long WAITS_OFFSET = 20;
    static final long RINGS_OFFSET = 24;
    static final long EVENTS_OFFSET = 28;
    static final long TRAFFIC_OFFSET = 32;
    static final long SNAPSHOT_OFFSET = 64;
    static final long HEADER_BYTES = 128;

    static final long SNAPSHOT_HEADER_BYTES = 64;
    static final long PUBLISHED_OFFSET = 0;
    static final long SNAPSHOT_ROWS_OFFSET = 8;
    static final long SNAPSHOT_OPS_OFFSET = 12;
    static final long SNAPSHOT_WAITS_OFFSET = 16;
    static final long ROW_BYTES = 128;
    static final long WAIT_BYTES = 256;
    static final int WAIT_TEXT_BYTES = 248;

    static final long RING_HEADER_BYTES = 128;
    static final long FINISHED_OFFSET = 8;
    static final long ENDED_OFFSET = 16;
    static final long NAME_OFFSET = 24;
    static final int NAME_BYTES = 104;
    static final long EVENT_BYTES = 40;

    /** As many as a runtime writes. */
    static final int ROWS = 256;
    static final int WAITS = 8;
    static final int RINGS = 7;
    static final int TRAFFIC_ROWS = 512;
    /** More than that no reader takes. */
    static final int MAX = 1 << 16;

    private BlackBoxDescriptor() {
    }

    static long snapshotBytes(int rows, int waits) {
        return SNAPSHOT_HEADER_BYTES + rows * ROW_BYTES + waits * WAIT_BYTES;
    }

    static long ringBytes(int events) {
        return RING_HEADER_BYTES + events * EVENT_BYTES;
    }

    static long ringsOffset(int rows, int waits) {
        return HEADER_BYTES + 2 * snapshotBytes(rows, waits);
    }

    static long trafficOffset(int rows, int waits, int rings, int events) {
        return ringsOffset(rows, waits) + rings * ringBytes(events);
    }

    static long bytes(int rows, int waits, int rings, int events, int traffic) {
        return trafficOffset(rows, waits, rings, events) + traffic * Traffic.BYTES;
    }
}
