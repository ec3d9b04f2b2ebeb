/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.view;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A line of a terminal that says how far something has come, and is gone when that is done. For one thread. */
public final class Progress implements AutoCloseable {
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final String CLEAR = "\r\u001b[K";

    private final PrintStream terminal;
    private long nextNs = System.nanoTime();
    private boolean isShown;

    /**
     * Shows nothing yet.
     *
     * @param terminal where to; null for nowhere
     */
    public Progress(PrintStream terminal) {
        this.terminal = terminal;
    }

    /**
     * Shows a text in place of the last one, unless that came a moment ago.
     *
     * @param text without an end of line
     */
    public void show(Supplier<String> text) {
        if (terminal == null || System.nanoTime() - nextNs < 0) {
            return;
        }
        terminal.print(CLEAR + text.get());
        terminal.flush();
        isShown = true;
        nextNs = System.nanoTime() + INTERVAL_NS;
    }

    /** Takes the line away. */
    @Override
    public void close() {
        if (isShown) {
            terminal.print(CLEAR);
            terminal.flush();
            isShown = false;
        }
    }
}
