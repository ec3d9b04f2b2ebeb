/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.transport.Shares.Lease;
import org.junit.jupiter.api.Test;

class SharesTest {
    private final Shares<String, Thing> shares = new Shares<>();

    /** Counts how often it is closed. */
    private static final class Thing implements AutoCloseable {
        private int closes;

        @Override
        public void close() {
            closes++;
        }
    }

    private Lease<Thing> acquire(String key) {
        return shares.acquire(key, Thing::new);
    }

    @Test
    void shouldCloseBehindTheLastUser() {
        Lease<Thing> first = acquire("a");
        Lease<Thing> second = acquire("a");
        Thing shared = first.shared();
        assertSame(shared, second.shared());
        assertSame(shared, shares.get("a"));
        first.close();
        first.close();
        assertEquals(0, shared.closes, "a lease ends once");
        second.close();
        assertEquals(1, shared.closes);
        assertNull(shares.get("a"));
        assertEquals(0, shares.size());
    }

    @Test
    void shouldMakeANewOneForTheNextUser() {
        Lease<Thing> first = acquire("a");
        Thing before = first.shared();
        first.close();
        Lease<Thing> second = acquire("a");
        assertNotSame(before, second.shared());
        first.close();
        assertEquals(0, second.shared().closes, "it is not the old user's");
    }

    @Test
    void shouldKeepKeysApart() {
        Lease<Thing> one = acquire("a");
        Lease<Thing> other = acquire("b");
        assertNotSame(one.shared(), other.shared());
        assertEquals(2, shares.size());
        one.close();
        assertEquals(1, shares.size());
        assertEquals(0, other.shared().closes);
    }

    @Test
    void shouldChangeNothingIfItCannotBeMade() {
        assertThrows(IllegalStateException.class, () -> shares.acquire("a", () -> {
            throw new IllegalStateException("no room");
        }));
        assertEquals(0, shares.size());
        acquire("a").close();
    }
}
