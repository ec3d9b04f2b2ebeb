/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class OwnedFdTest {
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final OwnedFd fd = new OwnedFd(7, number -> isClosed.set(true));
    private final OwnedFd other = new OwnedFd(8, number -> { });

    @Test
    void shouldNotCloseWhatIsInUse() throws InterruptedException {
        Thread closer = Thread.ofPlatform().unstarted(fd::close);
        boolean wasClosed = fd.<Boolean>use(number -> {
            closer.start();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            return isClosed.get();
        });
        closer.join();

        assertFalse(wasClosed);
        assertTrue(isClosed.get());
    }

    @Test
    void shouldNotUseWhatIsGone() {
        assertEquals(7, fd.release());
        other.close();

        for (OwnedFd gone : List.of(fd, other)) {
            assertEquals(ProxyResult.INVALID_USAGE,
                    assertThrows(ProxyException.class, () -> gone.use(number -> number)).result());
            assertThrows(ProxyException.class, () -> OwnedFd.useAll(List.of(gone), numbers -> numbers));
        }
        assertFalse(isClosed.get());
    }

    @Test
    void shouldUseSeveralInTheOrderTheyAreGiven() {
        assertArrayEquals(new int[] {8, 7, 8}, OwnedFd.useAll(List.of(other, fd, other), numbers -> numbers));
    }

    /** Or two who use the same ones the other way round could wait for each other. */
    @Test
    void shouldLockSeveralInOneOrder() throws InterruptedException {
        Thread both = Thread.ofPlatform().daemon().unstarted(() -> OwnedFd.useAll(List.of(other, fd), all -> all));
        Thread single = Thread.ofPlatform().daemon().unstarted(() -> other.use(number -> number));

        boolean isFree = fd.<Boolean>use(number -> {
            both.start();
            while (both.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            single.start();
            return isDone(single);
        });

        both.join();
        assertTrue(isFree);
    }

    private static boolean isDone(Thread thread) {
        try {
            return thread.join(Duration.ofMinutes(2));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
