/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.transport.ConnectionMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Words of several connections in one memory, as a slab of control words has them. */
class ControlWordsTest {
    private static final int CONNECTIONS = 3;

    @Test
    void shouldKeepWordsOfConnectionsInOneMemoryApart() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slab = arena.allocate(CONNECTIONS * ConnectionMemory.CONTROL_BYTES, Long.BYTES);
            for (int i = 0; i < CONNECTIONS; i++) {
                fill(slab, i);
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                check(new SendMem(piece(slab, i)),
                        new RecvMem(piece(slab, i).asSlice(ConnectionMemory.RECV_MEM_OFFSET)), i);
            }
        }
    }

    @Test
    void shouldRefuseWordsBeyondTheMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(RecvMem.WORDS_BYTES, Long.BYTES);

            assertThrows(IndexOutOfBoundsException.class, () -> new RecvMem(words, Long.BYTES));
            assertThrows(IndexOutOfBoundsException.class, () -> new RecvMem(words, -Long.BYTES));
            assertThrows(IndexOutOfBoundsException.class,
                    () -> new SendMem(words, RecvMem.WORDS_BYTES - SendMem.WORDS_BYTES + Long.BYTES));
        }
    }

    private static MemorySegment piece(MemorySegment slab, int i) {
        return slab.asSlice(i * ConnectionMemory.CONTROL_BYTES, ConnectionMemory.CONTROL_BYTES);
    }

    private static void fill(MemorySegment slab, int i) {
        long offset = i * ConnectionMemory.CONTROL_BYTES;
        SendMem sendMem = new SendMem(slab, offset);
        sendMem.head(100 + i);
        sendMem.offer(50 + i, 60 + i, 70 + i, 80 + i);
        RecvMem recvMem = new RecvMem(slab, offset + ConnectionMemory.RECV_MEM_OFFSET);
        recvMem.tail(200 + i);
        for (int slot = 0; slot < DeviceConnection.STEPS; slot++) {
            recvMem.directMode(slot, i);
            recvMem.place(slot, 10 * i + slot, 20 * i + slot, 30 * i + slot);
            recvMem.size(slot, 40 * i + slot);
        }
    }

    private static void check(SendMem sendMem, RecvMem recvMem, int i) {
        assertEquals(100 + i, sendMem.head());
        assertTrue(sendMem.isOffered(50 + i));
        assertEquals(60 + i, sendMem.offeredHandle());
        assertEquals(70 + i, sendMem.offeredPtr());
        assertEquals(80 + i, sendMem.offeredBytes());
        assertEquals(200 + i, recvMem.tail());
        for (int slot = 0; slot < DeviceConnection.STEPS; slot++) {
            assertEquals(i, recvMem.directMode(slot));
            assertEquals(10 * i + slot, recvMem.mode(slot));
            assertEquals(20 * i + slot, recvMem.offset(slot));
            assertEquals(30 * i + slot, recvMem.ptr(slot));
            assertEquals(40 * i + slot, recvMem.size(slot));
        }
    }
}
