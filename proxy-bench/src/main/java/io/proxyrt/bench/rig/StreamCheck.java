/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** Whether what came in a stream is what was sent. */
final class StreamCheck {
    /** Added to the number of the last message. */
    private static final long LAST = Long.MIN_VALUE;

    private StreamCheck() {
    }

    /** With data that are no other message's. */
    static void fill(MemorySegment memory, int message) {
        SplittableRandom random = new SplittableRandom(memory.byteSize() + message);
        for (long at = 0; at <= memory.byteSize() - Long.BYTES; at += Long.BYTES) {
            memory.set(JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
    }

    /** Writes the number of a message, or of a window of them, into its first bytes. */
    static void number(MemorySegment memory, long at, long number, boolean isLast) {
        memory.set(JAVA_LONG_UNALIGNED, at, isLast ? number + LAST : number);
    }

    /** Whether a message, which has to be of that number, is the last. */
    static boolean isLast(MemorySegment memory, long at, long number) {
        long found = memory.get(JAVA_LONG_UNALIGNED, at);
        if (found != number && found != number + LAST) {
            throw new IllegalStateException("message " + number + " says that it is number " + found);
        }
        return found != number;
    }

    static String checksum(MemorySegment memory) {
        CRC32C sum = new CRC32C();
        sum.update(memory.asByteBuffer());
        return Long.toHexString(sum.getValue());
    }

    static void compare(String sent, String received, long bytes) {
        if (!sent.equals(received)) {
            throw new IllegalStateException("the last messages of " + bytes + " bytes arrived with checksum " + received
                    + ", and were sent with " + sent);
        }
    }
}
