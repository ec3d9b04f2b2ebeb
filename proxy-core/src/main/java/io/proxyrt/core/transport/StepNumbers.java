/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.device.CopyList;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;

/**
 * The next step numbers, as a table in the device's memory: the source from which a stream copies a tail. A copy from
 * the host's memory would use another of the device's copy engines, and each flush would wait 13 us for it. A flush
 * loads half of the table ahead of its use; a number that is not in the table is copied from the host. Guarded by the
 * lane's lock.
 */
final class StepNumbers implements AutoCloseable {
    static final int COUNT = 4096;
    /** Of both memories. */
    static final long BYTES = 2L * COUNT * Long.BYTES;
    private static final int HALF = COUNT / 2;
    /** More steps than a connection has under way. */
    private static final int MARGIN = HALF / 2;

    private final DeviceMemory numbers;
    private final DeviceMemory source;
    /** Those that are there: from first to end; and those that will be when a flush has loaded more. */
    private long first;
    private long end;
    private long loadedFirst;
    private long loadedEnd;
    private long loadingFlush;

    StepNumbers(Device device) {
        try (Owned owned = new Owned()) {
            numbers = owned.add(device.allocate(COUNT * (long) Long.BYTES));
            source = owned.add(device.allocateHost(COUNT * (long) Long.BYTES));
            owned.release();
        }
    }

    DeviceMemory memory() {
        return numbers;
    }

    /** Where a number is, for a copy in a flush; -1 if it is not there by then. */
    long offset(long number, long flush) {
        if (flush > loadingFlush) {
            first = loadedFirst;
            end = loadedEnd;
        }
        return number >= first && number < end ? place(number) : -1;
    }

    /**
     * Has a flush load the next half if it is time, or the one with this number if steps were skipped. The half's
     * former numbers are not used in this flush or a later one.
     *
     * @param completed the last flush that is done: what it loaded from may be written again
     */
    void load(CopyList copies, long number, long flush, long completed) {
        boolean isThere = number >= first && number < end;
        if (loadingFlush > completed || isThere && number < end - MARGIN) {
            return;
        }
        long start = isThere ? end : number - number % HALF;
        for (long i = start; i < start + HALF; i++) {
            source.segment().set(JAVA_LONG, place(i), i);
        }
        copies.add(numbers, place(start), source, place(start), HALF * (long) Long.BYTES);
        first = isThere ? end - HALF : 0;
        end = isThere ? end : 0;
        loadedFirst = isThere ? first : start;
        loadedEnd = start + HALF;
        loadingFlush = flush;
        assert first <= end && loadedFirst < loadedEnd && loadedEnd - loadedFirst <= COUNT : number;
    }

    private static long place(long number) {
        return number % COUNT * Long.BYTES;
    }

    @Override
    public void close() {
        try (Owned owned = new Owned()) {
            owned.add(source);
            owned.add(numbers);
        }
    }
}
