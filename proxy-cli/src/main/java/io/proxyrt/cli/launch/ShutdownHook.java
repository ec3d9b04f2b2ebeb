/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

/** Runs something when the JVM is asked to end, for as long as this object is open. */
final class ShutdownHook implements AutoCloseable {
    private final Thread thread;

    ShutdownHook(Runnable action) {
        this.thread = new Thread(action, "proxyrt-stop");
        Runtime.getRuntime().addShutdownHook(thread);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the action under way.
            return;
        }
    }
}
