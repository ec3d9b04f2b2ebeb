/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A slot of a connection, with its control words and memory of a user. jcstress makes many: they lie in slabs. */
final class StressConnection {
    /** Bytes of the slot: two lines of LL128. */
    static final long SLOT_BYTES = 128;
    private static final int PER_SLAB = 10_000;
    private static final long RECV_MEM = 64;
    private static final long USER = 320;
    private static final long SLOT = 384;
    private static final long BYTES = 512;

    private static MemorySegment slab;
    private static long used;

    final SendMem sendMem;
    final RecvMem recvMem;
    final MemorySegment user;
    final MemorySegment slot;

    StressConnection() {
        MemorySegment memory = memory();
        sendMem = new SendMem(memory);
        recvMem = new RecvMem(memory.asSlice(RECV_MEM));
        user = memory.asSlice(USER, SLOT - USER);
        slot = memory.asSlice(SLOT, SLOT_BYTES);
    }

    /** The pages reach over the next connections, but only the first bytes of each are used. */
    private static synchronized MemorySegment memory() {
        if (slab == null || used == PER_SLAB * BYTES) {
            slab = Arena.ofAuto().allocate(PER_SLAB * BYTES + RECV_MEM + RecvMem.BYTES, SLOT_BYTES);
            used = 0;
        }
        used += BYTES;
        return slab.asSlice(used - BYTES);
    }
}
