/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.Direction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * One row of the table of memory in the counters file.
 *
 * <pre>
 *   0 sequence int      odd while the row is written: what was read counts only if it is even, and the same after
 *   4 state int         0 free | 1 used
 *   8 connection long   0: memory of several connections
 *  16 peer int | direction int
 *  24 transport         8 bytes, ASCII, zero-padded
 *  32 bytes long [8]    by use
 * </pre>
 */
final class MemoryRow {
    static final long BYTES = 128;

    private static final long STATE = 4;
    private static final long CONNECTION = 8;
    private static final long PEER = 16;
    private static final long DIRECTION = 20;
    private static final long TRANSPORT = 24;
    private static final int TRANSPORT_BYTES = 8;
    private static final long AMOUNTS = 32;
    private static final int USED = 1;
    private static final int ATTEMPTS = 100;
    private static final int USES = MemoryUse.values().length;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;

    MemoryRow(MemorySegment memory) {
        this.memory = memory;
    }

    void write(MemoryAccount account) {
        int sequence = begin();
        memory.set(ValueLayout.JAVA_INT, STATE, USED);
        memory.set(ValueLayout.JAVA_LONG, CONNECTION, account.connection);
        memory.set(ValueLayout.JAVA_INT, PEER, account.peer);
        memory.set(ValueLayout.JAVA_INT, DIRECTION, account.direction.ordinal());
        byte[] name = Arrays.copyOf(account.transport.getBytes(StandardCharsets.US_ASCII), TRANSPORT_BYTES);
        MemorySegment.copy(name, 0, memory, ValueLayout.JAVA_BYTE, TRANSPORT, TRANSPORT_BYTES);
        MemorySegment.copy(account.bytes, 0, memory, ValueLayout.JAVA_LONG, AMOUNTS, USES);
        INT.setRelease(memory, 0L, sequence + 2);
    }

    void clear() {
        int sequence = begin();
        memory.set(ValueLayout.JAVA_INT, STATE, 0);
        INT.setRelease(memory, 0L, sequence + 2);
    }

    /** No store of the row's fields comes before the odd sequence. */
    private int begin() {
        int sequence = memory.get(ValueLayout.JAVA_INT, 0);
        assert (sequence & 1) == 0 : sequence;
        INT.set(memory, 0L, sequence + 1);
        VarHandle.storeStoreFence();
        return sequence;
    }

    /** Whether a copy of a row says so; the copy may be torn. */
    static boolean isUsed(MemorySegment row) {
        return row.get(ValueLayout.JAVA_INT_UNALIGNED, STATE) == USED;
    }

    /** Empty if the row is free, or its writer died, or never comes to an end. */
    static Optional<MemoryShare> read(IntSupplier sequence, Supplier<MemorySegment> rows) {
        for (int i = 0; i < ATTEMPTS; i++) {
            int before = sequence.getAsInt();
            VarHandle.loadLoadFence();
            MemorySegment row = rows.get();
            VarHandle.loadLoadFence();
            if ((before & 1) == 0 && before == sequence.getAsInt()) {
                return isUsed(row) ? Optional.of(share(row)) : Optional.empty();
            }
            Thread.onSpinWait();
        }
        return Optional.empty();
    }

    private static MemoryShare share(MemorySegment row) {
        boolean isRecv = row.get(ValueLayout.JAVA_INT_UNALIGNED, DIRECTION) == Direction.RECV.ordinal();
        long[] bytes = new long[USES];
        MemorySegment.copy(row, ValueLayout.JAVA_LONG_UNALIGNED, AMOUNTS, bytes, 0, USES);
        return new MemoryShare(CountersReader.text(row, TRANSPORT, TRANSPORT_BYTES),
                row.get(ValueLayout.JAVA_LONG_UNALIGNED, CONNECTION), row.get(ValueLayout.JAVA_INT_UNALIGNED, PEER),
                isRecv ? Direction.RECV : Direction.SEND, bytes);
    }
}
