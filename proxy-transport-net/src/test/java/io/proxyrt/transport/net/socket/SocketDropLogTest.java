/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;

class SocketDropLogTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long START_NS = Long.MAX_VALUE - SECOND_NS;

    private final List<String> told = new ArrayList<>();
    private final SocketDropLog log = new SocketDropLog((Logger) Proxy.newProxyInstance(Logger.class.getClassLoader(),
            new Class<?>[] {Logger.class}, (proxy, method, args) -> {
                Object[] values = args[1] instanceof Object[] many ? many : new Object[] {args[1], args[2]};
                told.add(method.getName() + ": " + MessageFormatter.basicArrayFormat((String) args[0], values));
                return null;
            }));

    @Test
    void shouldWarnOnceASecondAndCountTheOthers() {
        for (int i = 0; i < 4; i++) {
            log.dropped(new InetSocketAddress("127.0.0.1", 10 + i), "it was reset", START_NS + i * SECOND_NS / 2);
        }
        log.dropped(new InetSocketAddress("127.0.0.1", 14), "it was reset", START_NS + 9 * SECOND_NS);
        log.dropped(new InetSocketAddress("127.0.0.1", 15), "it was reset", START_NS + 10 * SECOND_NS);

        assertEquals(List.of(
                "warn: dropped a connection from 127.0.0.1:10: it was reset",
                "debug: dropped a connection from 127.0.0.1:11: it was reset",
                "warn: dropped a connection from 127.0.0.1:12: it was reset; and 1 more before it",
                "debug: dropped a connection from 127.0.0.1:13: it was reset",
                "warn: dropped a connection from 127.0.0.1:14: it was reset; and 1 more before it",
                "warn: dropped a connection from 127.0.0.1:15: it was reset"), told);
    }
}
