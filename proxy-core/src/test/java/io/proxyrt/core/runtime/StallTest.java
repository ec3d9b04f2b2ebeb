/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.AsyncResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StallTest {
    @TempDir
    private Path directory;

    private Counters counters;
    private AsyncResult result;
    private Stall stall;
    private long nowNs = Long.MAX_VALUE - Stall.LONG_NS;

    @BeforeEach
    void open() {
        counters = Counters.create(directory.resolve("counters"), "", 0, 1);
        result = new AsyncResult(counters);
        stall = new Stall(result, counters);
    }

    @AfterEach
    void close() {
        counters.close();
    }

    @Test
    void shouldBeLongWhenOnlyIdlePassesFollowAFailure() {
        result.fail(new ProxyException(ProxyResult.REMOTE_ERROR, "on purpose"));
        assertFalse(pass(0, 0));
        assertFalse(pass(3, Stall.LONG_NS));
        assertTrue(pass(3, 1));
    }

    @Test
    void shouldBeginAnewWhenAnOpMoves() {
        result.fail(new ProxyException(ProxyResult.REMOTE_ERROR, "on purpose"));
        assertFalse(pass(0, 0));
        counters.add(Counter.PROGRESS_PASSES, 1);
        assertFalse(pass(1, Stall.LONG_NS + 1));
        assertFalse(pass(1, Stall.LONG_NS));
        assertTrue(pass(1, 1));
    }

    @Test
    void shouldNotBeLongUnlessSomethingHasFailed() {
        assertFalse(pass(1, 0));
        assertFalse(pass(1, 100 * Stall.LONG_NS));
        result.fail(new ProxyException(ProxyResult.REMOTE_ERROR, "on purpose"));
        assertFalse(pass(1, Stall.LONG_NS));
        assertTrue(pass(1, 1));
    }

    private boolean pass(int idle, long ns) {
        counters.add(Counter.PROGRESS_PASSES, idle);
        counters.add(Counter.PROGRESS_IDLE_PASSES, idle);
        nowNs += ns;
        return stall.isLong(nowNs);
    }
}
