/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TicketsTest {
    private final List<Memory> closed = new ArrayList<>();

    /** That may fail when it is closed. */
    private final class Memory implements AutoCloseable {
        private final boolean isStuck;

        Memory(boolean isStuck) {
            this.isStuck = isStuck;
        }

        @Override
        public void close() {
            closed.add(this);
            if (isStuck) {
                throw new IllegalStateException("the driver refuses");
            }
        }
    }

    @Test
    void shouldHandOverOnce() {
        try (Tickets<Memory> tickets = new Tickets<>("P2P", Duration.ofDays(1))) {
            Memory memory = new Memory(false);
            long ticket = tickets.put(memory);
            assertSame(memory, tickets.take(tickets.decode(Tickets.encode(ticket))));
            assertEquals(ProxyResult.INVALID_ARGUMENT,
                    assertThrows(ProxyException.class, () -> tickets.take(ticket)).result());
        }
        assertEquals(List.of(), closed);
    }

    @Test
    void shouldExpireAllThoughOneFailsToClose() {
        Tickets<Memory> tickets = new Tickets<>("P2P", Duration.ofNanos(-1));
        List<Memory> late = List.of(new Memory(true), new Memory(false), new Memory(true));
        late.forEach(tickets::put);
        tickets.expire();
        assertEquals(0, tickets.size());
        assertEquals(3, closed.size());
    }

    @Test
    void shouldCloseAllThoughOneFails() {
        Tickets<Memory> tickets = new Tickets<>("P2P", Duration.ofDays(1));
        for (int i = 0; i < 4; i++) {
            tickets.put(new Memory(i < 3));
        }
        ProxyException failure = assertThrows(ProxyException.class, tickets::close);
        assertEquals(2, failure.getSuppressed().length);
        assertEquals(4, closed.size());
        Memory after = new Memory(false);
        assertEquals(ProxyResult.INVALID_USAGE,
                assertThrows(ProxyException.class, () -> tickets.put(after)).result());
        assertEquals(4, closed.size(), "what is not taken stays the caller's");
    }
}
