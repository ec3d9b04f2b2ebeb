/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is found once, and who waits for it. */
@Timeout(30)
class RecentTest {
    private final List<String> found = new CopyOnWriteArrayList<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @AfterEach
    void release() {
        released.countDown();
    }

    private String find(String key) {
        found.add(key);
        return key + found.size();
    }

    private String findSlowly(String key) {
        begun.countDown();
        try {
            assertTrue(released.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return find(key);
    }

    @Test
    void shouldFindOnce() {
        Recent<String, String> recent = new Recent<>();
        assertEquals("a1", recent.get("a", this::find));
        assertEquals("b2", recent.get("b", this::find));
        assertEquals("a1", recent.get("a", this::find));
    }

    @Test
    void shouldForgetWhatWasNotUsedLately() {
        Recent<String, String> recent = new Recent<>();
        recent.get("a", this::find);
        recent.get("b", this::find);
        for (int i = 2; i < Recent.MOST; i++) {
            recent.get("other " + i, this::find);
        }
        assertEquals("a1", recent.get("a", this::find));
        recent.get("one more", this::find);
        assertEquals("a1", recent.get("a", this::find));
        assertEquals("b" + (Recent.MOST + 2), recent.get("b", this::find));
    }

    /** As a rank on no GPU asks for something else than one that waits for a driver. */
    @Test
    void shouldNotWaitForWhatOthersLookFor() throws InterruptedException {
        Recent<String, String> recent = new Recent<>();
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> recent.get("slow", this::findSlowly));
        begun.await();
        assertEquals("a1", recent.get("a", this::find));
        released.countDown();
        assertEquals("slow2", slow.join());
    }

    @Test
    void shouldFindOnceForAllThatAsk() throws InterruptedException {
        Recent<String, String> recent = new Recent<>();
        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> recent.get("a", this::findSlowly));
        begun.await();
        CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> recent.get("a", this::find));
        released.countDown();
        assertEquals(List.of("a1", "a1"), List.of(first.join(), second.join()));
    }

    @Test
    void shouldLetAnInterruptedThreadGo() throws InterruptedException {
        Recent<String, String> recent = new Recent<>();
        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> recent.get("a", this::findSlowly));
        begun.await();
        Thread.currentThread().interrupt();
        ProxyException failure = assertThrows(ProxyException.class, () -> recent.get("a", this::find));
        assertEquals(ProxyResult.INVALID_USAGE, failure.result());
        assertEquals("interrupted while another thread finds out the topology of this host", failure.getMessage());
        assertTrue(Thread.interrupted());
        released.countDown();
        assertEquals("a1", first.join());
        assertEquals("a1", recent.get("a", this::find), "the other thread's stays");
    }

    @Test
    void shouldNotRememberAFailure() {
        Recent<String, String> recent = new Recent<>();
        RuntimeException failure = new IllegalStateException("broken");
        assertEquals(failure, assertThrows(IllegalStateException.class, () -> recent.get("a", key -> {
            throw failure;
        })));
        Error error = new AssertionError("broken");
        assertEquals(error, assertThrows(AssertionError.class, () -> recent.get("a", key -> {
            throw error;
        })));
        assertEquals("a1", recent.get("a", this::find));
    }

    @Test
    void shouldNotRememberWhatIsNotToBeKept() {
        Recent<String, String> recent = new Recent<>(value -> value.endsWith("2"));
        assertEquals("a1", recent.get("a", this::find));
        assertEquals("a2", recent.get("a", this::find));
        assertEquals("a2", recent.get("a", this::find));
    }
}
