/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A service whose thread sleeps elsewhere. */
class ReadinessWatchTest {
    private final Semaphore wakes = new Semaphore(0);
    private Rig rig;
    private UdsService service;

    @BeforeEach
    void open() {
        rig = new Rig(SocketsKind.AUTO);
        service = rig.open(1, new FakeHandler());
        service.wakeBy(wakes::release);
    }

    @AfterEach
    void close() {
        rig.close();
        assertFalse(Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .anyMatch("proxy-watch-1"::equals));
    }

    @Test
    void shouldWakeTheSleeperForAPeerAndForWhatItSays() throws InterruptedException {
        RawPeer peer = rig.raw(service);
        awaitWake();
        service.doWork();
        wakes.drainPermits();
        peer.send(RawPeer.hello(3));
        awaitWake();
        service.doWork();

        assertEquals(UdsFrameDescriptor.CHALLENGE, UdsFrame.read(peer.frame()).type());
    }

    private void awaitWake() throws InterruptedException {
        assertTrue(wakes.tryAcquire(Rig.PATIENCE.toNanos(), TimeUnit.NANOSECONDS), "no thread was woken");
    }
}
