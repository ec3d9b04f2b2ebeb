/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InboxTest {
    private final Inbox inbox = new Inbox(1000);

    @Test
    void shouldKeepTheOrderOfOneSenderAndTag() {
        inbox.put(1, 7, new byte[] {1});
        inbox.put(1, 8, new byte[] {9});
        inbox.put(1, 7, new byte[] {2});

        assertArrayEquals(new byte[] {1}, inbox.take(1, 7, Duration.ZERO));
        assertArrayEquals(new byte[] {2}, inbox.take(1, 7, Duration.ZERO));
        assertArrayEquals(new byte[] {9}, inbox.take(1, 8, Duration.ZERO));
    }

    @Test
    void shouldWaitForWhatHasNotCome() throws Exception {
        final CompletableFuture<byte[]> taken = Jobs.start(() -> inbox.take(2, 0, Jobs.LONG));
        inbox.put(1, 0, new byte[] {1});
        inbox.put(2, 0, new byte[] {2});

        assertArrayEquals(new byte[] {2}, Jobs.get(taken));
    }

    @Test
    void shouldNameWhatDidNotCome() {
        Jobs.assertFails(ProxyResult.TIMEOUT, () -> inbox.take(3, -9, Duration.ofMillis(5)), "rank 3", "tag -9",
                "5 ms");
    }

    @Test
    void shouldRefuseWhatItHasNoRoomFor() {
        assertTrue(inbox.put(1, 0, new byte[900]));
        assertFalse(inbox.put(1, 0, new byte[0]));

        inbox.take(1, 0, Duration.ZERO);
        assertTrue(inbox.put(1, 0, new byte[900]));
    }

    @Test
    void shouldHandOutWhatCameBeforeTheSenderLeft() {
        inbox.put(1, 0, new byte[] {1});
        inbox.left(1);

        assertArrayEquals(new byte[] {1}, inbox.take(1, 0, Jobs.LONG));
        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> inbox.take(1, 0, Jobs.LONG), "rank 1 has closed");
    }

    @Test
    void shouldWakeWhoWaitsWhenItEnds() {
        final CompletableFuture<byte[]> taken = Jobs.start(() -> inbox.take(1, 0, Jobs.LONG));
        inbox.end(new ProxyException(ProxyResult.REMOTE_ERROR, "rank 2 died"));
        inbox.end(new ProxyException(ProxyResult.INTERNAL_ERROR, "later"));

        Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> Jobs.get(taken), "rank 2 died");
    }

    @Test
    void shouldBeInterruptible() {
        Thread.currentThread().interrupt();

        Jobs.assertFails(ProxyResult.INVALID_USAGE, () -> inbox.take(1, 0, Jobs.LONG), "interrupted");
        assertTrue(Thread.interrupted());
    }
}
