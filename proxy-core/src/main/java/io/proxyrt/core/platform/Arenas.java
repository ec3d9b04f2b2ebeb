/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Shared arenas whose memory other threads' native calls, such as copies, may hold for a moment. */
public final class Arenas {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long POLL_NS = 10_000;

    private Arenas() {
    }

    /**
     * Frees an arena's memory. Waits for calls that hold it, for a second at most; a later use throws {@link
     * IllegalStateException}.
     *
     * @param arena shared, and still alive
     * @throws IllegalStateException if a call holds it for longer, and then it stays as it was; or if it was closed
     */
    public static void close(Arena arena) {
        long begin = System.nanoTime();
        while (!isClosed(arena, begin)) {
            LockSupport.parkNanos(POLL_NS);
        }
    }

    private static boolean isClosed(Arena arena, long beginNs) {
        try {
            arena.close();
            return true;
        } catch (IllegalStateException e) {
            if (!arena.scope().isAlive() || System.nanoTime() - beginNs > PATIENCE_NS) {
                throw e;
            }
            return false;
        }
    }
}
