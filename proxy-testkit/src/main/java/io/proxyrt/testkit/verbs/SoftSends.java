/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import static io.proxyrt.testkit.verbs.SoftMemory.ALL;

import io.proxyrt.core.verbs.QueuePairLimits;
import io.proxyrt.core.verbs.ScatterGather;
import io.proxyrt.core.verbs.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A send queue. A work request is read when it is posted, its inline data too. */
final class SoftSends {
    private final int slots;
    private final int maxSges;
    private final int inlineBytes;
    private final long[] ids;
    private final int[] opcodes;
    private final int[] flags;
    private final int[] immediates;
    private final long[] remoteAddresses;
    private final int[] rkeys;
    private final int[] sgeCounts;
    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private final MemorySegment inlined;
    private long posted;
    private long done;
    private long freed;

    SoftSends(QueuePairLimits limits) {
        slots = limits.sends();
        maxSges = limits.sges();
        inlineBytes = limits.inlineBytes();
        ids = new long[slots];
        opcodes = new int[slots];
        flags = new int[slots];
        immediates = new int[slots];
        remoteAddresses = new long[slots];
        rkeys = new int[slots];
        sgeCounts = new int[slots];
        addresses = new long[slots * maxSges];
        lengths = new int[slots * maxSges];
        lkeys = new int[slots * maxSges];
        inlined = Arena.ofAuto().allocate(Math.max(1, (long) slots * inlineBytes), Long.BYTES);
    }

    /**
     * Takes a work request.
     *
     * @return 0 or an errno
     */
    int add(long request) {
        int count = SendRequest.sgeCount(ALL, request);
        if (posted - freed == slots) {
            return SoftErrors.ENOMEM;
        }
        if (count < 0 || count > maxSges || !isKnown(request) || inlineBytes(request) > inlineBytes) {
            return SoftErrors.EINVAL;
        }
        int slot = (int) (posted % slots);
        ids[slot] = SendRequest.id(ALL, request);
        opcodes[slot] = SendRequest.opcode(ALL, request);
        flags[slot] = SendRequest.flags(ALL, request);
        immediates[slot] = SendRequest.immediate(ALL, request);
        remoteAddresses[slot] = SendRequest.remoteAddress(ALL, request);
        rkeys[slot] = SendRequest.rkey(ALL, request);
        sgeCounts[slot] = count;
        long inline = inlined.address() + (long) slot * inlineBytes;
        for (int i = 0; i < count; i++) {
            inline += addSge(slot * maxSges + i, SendRequest.sges(ALL, request) + i * ScatterGather.BYTES, inline,
                    isInline(slot));
        }
        posted++;
        return 0;
    }

    private int addSge(int at, long sge, long inline, boolean isInline) {
        addresses[at] = ScatterGather.address(ALL, sge);
        lengths[at] = ScatterGather.length(ALL, sge);
        lkeys[at] = ScatterGather.lkey(ALL, sge);
        if (isInline) {
            SoftMemory.copy(addresses[at], inline, lengths[at]);
            addresses[at] = inline;
        }
        return lengths[at];
    }

    private static boolean isKnown(long request) {
        return switch (SendRequest.opcode(ALL, request)) {
            case SendRequest.RDMA_WRITE, SendRequest.RDMA_WRITE_WITH_IMM -> true;
            case SendRequest.RDMA_READ -> (SendRequest.flags(ALL, request) & SendRequest.INLINE) == 0;
            default -> false;
        };
    }

    /** What a request carries inline. */
    static long inlineBytes(long request) {
        long bytes = 0;
        if ((SendRequest.flags(ALL, request) & SendRequest.INLINE) != 0) {
            for (int i = 0; i < SendRequest.sgeCount(ALL, request); i++) {
                long sge = SendRequest.sges(ALL, request) + i * ScatterGather.BYTES;
                bytes += Integer.toUnsignedLong(ScatterGather.length(ALL, sge));
            }
        }
        return bytes;
    }

    boolean isEmpty() {
        return done == posted;
    }

    /** The slot of the first that is not done. */
    int slot() {
        return (int) (done % slots);
    }

    /** Where the first that is not done is. */
    long position() {
        return done;
    }

    void next() {
        done++;
    }

    /** All up to one are known to be done. */
    void free(long position) {
        freed = position + 1;
    }

    long id(int slot) {
        return ids[slot];
    }

    int opcode(int slot) {
        return opcodes[slot];
    }

    boolean isSignaled(int slot) {
        return (flags[slot] & SendRequest.SIGNALED) != 0;
    }

    boolean isInline(int slot) {
        return (flags[slot] & SendRequest.INLINE) != 0;
    }

    int immediate(int slot) {
        return immediates[slot];
    }

    long remoteAddress(int slot) {
        return remoteAddresses[slot];
    }

    int rkey(int slot) {
        return rkeys[slot];
    }

    int sgeCount(int slot) {
        return sgeCounts[slot];
    }

    long address(int slot, int sge) {
        return addresses[slot * maxSges + sge];
    }

    long length(int slot, int sge) {
        return Integer.toUnsignedLong(lengths[slot * maxSges + sge]);
    }

    int lkey(int slot, int sge) {
        return lkeys[slot * maxSges + sge];
    }

    long bytes(int slot) {
        long bytes = 0;
        for (int i = 0; i < sgeCounts[slot]; i++) {
            bytes += length(slot, i);
        }
        return bytes;
    }
}
