/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;

class RefusalsTest {
    private static final long SECOND_NS = 1_000_000_000L;
    /** The clock turns negative within the tests. */
    private static final long START_NS = Long.MAX_VALUE - SECOND_NS;

    private final List<String> lines = new ArrayList<>();
    private final Refusals refusals = new Refusals((Logger) Proxy.newProxyInstance(Logger.class.getClassLoader(),
            new Class<?>[] {Logger.class}, (proxy, method, args) -> {
                Object[] values = args[1] instanceof Object[] many ? many : new Object[] {args[1], args[2]};
                lines.add(method.getName() + ": " + MessageFormatter.basicArrayFormat((String) args[0], values));
                return null;
            }), "a test drops");

    @Test
    void shouldCountAllButWarnOnlySoOftenAtOnce() {
        for (int i = 0; i < 1000; i++) {
            refusals.add("peer", "is refused", START_NS);
        }

        assertEquals(1000, refusals.count());
        assertEquals(10, refusals.logged());
        assertEquals("peer: is refused", refusals.last());
        assertEquals("warn: a test drops peer: is refused", lines.get(9));
        assertEquals("debug: a test drops peer: is refused", lines.get(10));
    }

    @Test
    void shouldWarnAgainAfterAWhileAndTellHowManyThereWere() {
        for (int i = 0; i < 12; i++) {
            refusals.add("peer", "is refused", START_NS + i);
        }

        refusals.add("peer", "is back", START_NS + 11 * SECOND_NS);
        refusals.add("peer", "is still there", START_NS + 12 * SECOND_NS);

        assertEquals(12, refusals.logged());
        assertEquals(List.of("warn: a test drops peer: is back; and 2 more before it",
                "warn: a test drops peer: is still there"), lines.subList(12, 14));
    }

    @Test
    void shouldWarnOnceOfAKind() {
        refusals.addOnce("a/end", "a:1", "it went", START_NS);
        refusals.addOnce("a/end", "a:2", "it went", START_NS);
        refusals.addOnce("b/end", "b:2", "it went", START_NS);
        refusals.addOnce("a/late", "a:3", "it slept", START_NS);

        assertEquals(List.of("warn: a test drops a:1: it went", "debug: a test drops a:2: it went",
                "warn: a test drops b:2: it went", "warn: a test drops a:3: it slept"), lines);
        assertEquals(4, refusals.count());
    }

    @Test
    void shouldWarnOfABoundedNumberOfKinds() {
        for (int i = 0; i < 1000; i++) {
            refusals.addOnce("kind " + i, "peer", "it went", START_NS + 11 * SECOND_NS * i);
        }

        assertEquals(256, refusals.logged());
    }

    @Test
    void shouldWarnLaterOfAKindThatCameInAFlood() {
        for (int i = 0; i < 11; i++) {
            refusals.addOnce("kind " + i, "peer", "it went", START_NS);
        }
        refusals.addOnce("kind 10", "peer", "it went", START_NS + 11 * SECOND_NS);

        assertEquals(11, refusals.logged());
        assertEquals("warn: a test drops peer: it went; and 1 more before it", lines.getLast());
    }
}
