/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.abort;

import io.proxyrt.core.ProxyException;
import io.proxyrt.transport.net.MrCache.Mr;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cache of registered memory. */
class MrCacheTest {
    private final ManualNet net = new ManualNet();
    private final MrCache cache = new MrCache();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(4096, 64);
    private NetListenComm listen;
    private NetConnectComm connect;
    private NetSendComm comm;

    @BeforeEach
    void open() {
        listen = net.listen(0);
        connect = net.connect(0, listen.handle());
        comm = connect.connect();
    }

    @AfterEach
    void close() {
        cache.close();
        comm.close();
        connect.close();
        listen.close();
        arena.close();
        assertEquals(0, net.open, "something stayed registered");
    }

    @Test
    void shouldRegisterARangeOnce() {
        Mr first = cache.register(comm, memory);
        Mr second = cache.register(comm, memory);
        assertSame(first.memory(), second.memory());
        assertEquals(1, net.registered);
        assertEquals(0, second.offset());
        assertEquals(4096, second.bytes());
    }

    @Test
    void shouldFindARangeWithinAnother() {
        Mr all = cache.register(comm, memory);
        Mr part = cache.register(comm, memory.asSlice(1000, 3096));
        assertSame(all.memory(), part.memory());
        assertEquals(1000, part.offset());
        assertEquals(3096, part.bytes());
    }

    @Test
    void shouldRegisterARangeThatOverlapsAnotherOrContainsIt() {
        Mr middle = cache.register(comm, memory.asSlice(1000, 1000));
        Mr overlapping = cache.register(comm, memory.asSlice(1999, 2));
        Mr greater = cache.register(comm, memory);
        assertNotSame(middle.memory(), overlapping.memory());
        assertNotSame(middle.memory(), greater.memory());
        assertEquals(3, net.registered);
    }

    @Test
    void shouldEndARegistrationWithItsLastUser() {
        Mr first = cache.register(comm, memory);
        Mr second = cache.register(comm, memory.asSlice(8, 8));
        int open = net.open;
        first.close();
        first.close();
        assertEquals(open, net.open, "the second still uses it");
        second.close();
        assertEquals(open - 1, net.open);
        assertEquals(0, cache.size());
        cache.register(comm, memory);
        assertEquals(2, net.registered);
    }

    @Test
    void shouldNotTakeNewMemoryForTheOldAtTheSameAddress() {
        for (int attempt = 0; attempt < 1000; attempt++) {
            long address = registerShortLived();
            MemorySegment anew = arena.allocate(256, 64);
            if (anew.address() == address) {
                int before = net.registered;
                cache.register(comm, anew);
                assertEquals(before + 1, net.registered, "the first is of memory that was freed");
                cache.register(comm, anew.asSlice(8, 8));
                assertEquals(before + 1, net.registered);
                return;
            }
        }
        abort("no memory was allocated at the same address again");
    }

    private long registerShortLived() {
        try (Arena shortLived = Arena.ofConfined()) {
            MemorySegment old = shortLived.allocate(256, 64);
            cache.register(comm, old);
            return old.address();
        }
    }

    @Test
    void shouldTellReadOnlyMemoryFromTheSameMemory() {
        cache.register(comm, memory);
        cache.register(comm, memory.asReadOnly());
        assertEquals(2, net.registered);
    }

    @Test
    void shouldStayAsItWasWhenTheNetworkRefuses() {
        net.failure = "not pinned";
        assertThrows(ProxyException.class, () -> cache.register(comm, memory));
        net.failure = "";
        assertEquals(0, cache.size());
        cache.register(comm, memory);
        assertEquals(1, cache.size());
    }
}
