/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PeerMemoryTest {
    private final PeerMemory memory = new PeerMemory();

    @Test
    void shouldFindWhatIsRegisteredAndNothingElse() {
        Map<Long, MemorySegment> model = new HashMap<>();
        Random random = new Random(6);
        for (int i = 0; i < 2000; i++) {
            long handle = random.nextInt(64);
            if (model.containsKey(handle)) {
                memory.remove(handle);
                model.remove(handle);
            } else {
                model.put(handle, MemorySegment.ofArray(new byte[1]));
                memory.add(handle, model.get(handle));
            }
            assertEquals(model.size(), memory.size());
            for (long each = -1; each <= 64; each++) {
                assertSame(model.get(each), memory.find(each));
            }
        }
    }

    @Test
    void shouldRefuseAHandleThatIsInUse() {
        memory.add(7, MemorySegment.NULL);

        assertThrows(IllegalArgumentException.class, () -> memory.add(7, MemorySegment.NULL));
        memory.remove(8);
        assertNull(memory.find(8));
        assertEquals(1, memory.size());
    }
}
