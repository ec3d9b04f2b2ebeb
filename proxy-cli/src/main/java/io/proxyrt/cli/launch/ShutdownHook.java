/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import java.util.ArrayDeque;
import java.util.Deque;

/** Runs something when the JVM ends, for as long as this object is open: before what was asked for earlier. */
public final class ShutdownHook implements AutoCloseable {
    private static final Deque<ShutdownHook> OPEN = new ArrayDeque<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(ShutdownHook::runAll, "proxyrt-stop"));
    }

    private final Runnable action;

    /**
     * Asks for it.
     *
     * @param action runs on a thread of the JVM's end, and not if this object has been closed
     */
    public ShutdownHook(Runnable action) {
        this.action = action;
        synchronized (OPEN) {
            OPEN.push(this);
        }
    }

    @Override
    public void close() {
        synchronized (OPEN) {
            OPEN.remove(this);
        }
    }

    private static void runAll() {
        for (ShutdownHook hook = next(); hook != null; hook = next()) {
            try {
                hook.action.run();
            } catch (RuntimeException e) {
                System.err.println("proxyrt: " + e.getMessage());
            }
        }
    }

    private static ShutdownHook next() {
        synchronized (OPEN) {
            return OPEN.poll();
        }
    }
}
