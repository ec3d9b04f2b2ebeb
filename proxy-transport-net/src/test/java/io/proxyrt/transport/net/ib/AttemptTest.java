/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class AttemptTest {
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AutoCloseable made = closed::countDown;

    private static void awaitEnd(Attempt<?> attempt) {
        while (!attempt.isOver()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldHandOverWhatCameOfItOnce() {
        Attempt<AutoCloseable> attempt = Attempt.start("test", isCancelled -> made);
        awaitEnd(attempt);
        assertSame(made, attempt.poll());
        assertNull(attempt.poll());
        attempt.close();
        assertEquals(1, closed.getCount(), "it is the caller's");
    }

    @Test
    void shouldTellWhyNothingCameOfIt() {
        ProxyException why = new ProxyException(ProxyResult.REMOTE_ERROR, "gone");
        Attempt<AutoCloseable> attempt = Attempt.start("test", isCancelled -> {
            throw why;
        });
        awaitEnd(attempt);
        assertSame(why, assertThrows(ProxyException.class, attempt::poll));
    }

    @Test
    void shouldTellOfBugs() {
        Attempt<AutoCloseable> attempt = Attempt.start("test", isCancelled -> {
            throw new IllegalStateException("a bug");
        });
        awaitEnd(attempt);
        ProxyException failure = assertThrows(ProxyException.class, attempt::poll);
        assertEquals(ProxyResult.INTERNAL_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("a bug"), failure.getMessage());
    }

    @Test
    void shouldCloseWhatAnAttemptMadeThatWasGivenUp() {
        Attempt<AutoCloseable> attempt = Attempt.start("test", isCancelled -> made);
        awaitEnd(attempt);
        attempt.close();
        attempt.close();
        assertEquals(0, closed.getCount());
        assertNull(attempt.poll());
    }

    @Test
    void shouldCloseWhatIsThereWhenItIsCancelledFirst() {
        Attempt<AutoCloseable> attempt = Attempt.start("test", isCancelled -> made);
        awaitEnd(attempt);
        attempt.cancel();
        attempt.close();
        assertEquals(0, closed.getCount());
    }

    @Test
    void shouldCloseWhatIsMadeAfterItWasCancelled() throws InterruptedException {
        Attempt<AutoCloseable> attempt = Attempt.start("test", isCancelled -> {
            while (!isCancelled.getAsBoolean()) {
                Thread.onSpinWait();
            }
            return made;
        });
        attempt.close();
        closed.await();
        assertNull(attempt.poll());
    }
}
