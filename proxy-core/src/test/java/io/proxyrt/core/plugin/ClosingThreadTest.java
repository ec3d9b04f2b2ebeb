/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What ends something of a plug-in may block, and holds its caller up for a moment only. */
class ClosingThreadTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayReturn = new CountDownLatch(1);

    private void block() {
        try {
            assertTrue(mayReturn.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        events.add("call");
    }

    private void awaitEvents(String... expected) {
        while (events.size() < expected.length) {
            Thread.yield();
        }
        assertEquals(List.of(expected), events);
    }

    @Test
    void shouldWaitUntilItIsDone() {
        ClosingThread closer = new ClosingThread(Subsystem.NET, "libfake.so", LONG);
        closer.end("a connection", () -> events.add(Thread.currentThread().getName()), () -> events.add("sequel"));

        assertEquals(List.of("proxyrt-plugin-close", "sequel"), events);
        closer.close();
    }

    @Test
    void shouldGoOnThoughThePlugInFails() {
        ClosingThread closer = new ClosingThread(Subsystem.NET, "libfake.so", LONG);
        closer.end("a connection", () -> {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, "closeSend fails");
        }, () -> events.add("sequel"));

        assertEquals(List.of("sequel"), events);
        closer.close();
    }

    @Test
    void shouldLeaveACallThatDoesNotReturnAndWaitForNothingBehindIt() {
        ClosingThread closer = new ClosingThread(Subsystem.NET, "libfake.so", Duration.ofMillis(50));
        closer.end("a connection", this::block, () -> events.add("sequel"));
        closer.end("a listener", () -> events.add("next"), () -> events.add("sequel of next"));
        assertEquals(List.of(), events);
        mayReturn.countDown();

        awaitEvents("call", "sequel", "next", "sequel of next");
        closer.close();
    }

    /** As a network does that finishes its plug-in once its last connection is closed, however late. */
    @Test
    void shouldNotWaitForItselfWhenALateCallBringsAboutAnother() {
        ClosingThread closer = new ClosingThread(Subsystem.NET, "libfake.so", Duration.ofMillis(50));
        closer.end("a connection", this::block,
                () -> closer.end("the plug-in", () -> events.add("finish"), closer::close));
        mayReturn.countDown();

        awaitEvents("call", "finish");
    }
}
