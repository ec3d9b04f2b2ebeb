/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.device.CopyList;
import io.proxyrt.core.device.host.HostDevice;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Numbers that a stream has loaded, and one that is behind. */
class StepNumbersTest {
    private final HostDevice device = new HostDevice(0);
    private final StepNumbers numbers = new StepNumbers(device);
    private final CopyList copies = new CopyList(64);
    private final Random random = new Random(20_261_122);
    private long loads;

    @AfterEach
    void close() {
        numbers.close();
        device.close();
    }

    /** What a stream does, in any order. */
    private void run() {
        for (int i = copies.size() - 1; i >= 0; i--) {
            MemorySegment.copy(copies.from(i).segment(), copies.fromOffset(i), copies.to(i).segment(),
                    copies.toOffset(i), copies.bytes(i));
            loads++;
        }
        copies.clear();
    }

    /** The number that a copy in this flush would find; -1 if it had to come from the host. */
    private long find(long number, long flush) {
        long offset = numbers.offset(number, flush);
        return offset < 0 ? -1 : numbers.memory().segment().get(JAVA_LONG, offset);
    }

    @Test
    void shouldHaveNumbersFromTheFlushAfterTheLoadOn() {
        assertEquals(-1, numbers.offset(1, 1));
        numbers.load(copies, 1, 1, 0);
        assertEquals(1, copies.size());
        assertEquals(-1, numbers.offset(2, 1), "copies of a flush come in any order");
        run();
        assertEquals(2, find(2, 2));
    }

    @Test
    void shouldHaveEveryNumberAndLoadFewTimes() {
        long missing = 0;
        for (long flush = 1, number = 1; number < 100_000; flush++, number += 1 + random.nextInt(4)) {
            long found = find(number, flush);
            missing += found < 0 ? 1 : 0;
            assertTrue(found < 0 || found == number, number + " is " + found);
            numbers.load(copies, number, flush, flush - 1);
            run();
        }
        assertEquals(1, missing, "only the first comes from the host");
        assertTrue(loads <= 100_000 / (StepNumbers.COUNT / 2) + 2, loads + " loads");
    }

    /** Ops of other protocols count steps too, any number of them. */
    @Test
    void shouldFollowSkippedSteps() {
        long number = 1;
        for (long flush = 1; flush < 20_000; flush++) {
            number += random.nextInt(100) == 0 ? random.nextInt(10_000) : 1;
            long found = find(number, flush);
            assertTrue(found < 0 || found == number, number + " is " + found);
            numbers.load(copies, number, flush, flush - 1);
            run();
        }
        assertTrue(loads < 20_000, loads + " loads");
    }

    @Test
    void shouldNotWriteWhatAStreamStillLoadsFrom() {
        numbers.load(copies, 1, 1, 0);
        numbers.load(copies, 50_000, 2, 0);
        assertEquals(1, copies.size(), "flush 1 is not done");
        run();
        assertEquals(5, find(5, 3));
        numbers.load(copies, 50_000, 3, 1);
        assertEquals(1, copies.size());
        assertEquals(-1, numbers.offset(5, 3), "its place may be written in this flush");
    }
}
