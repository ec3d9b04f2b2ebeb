/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Prints the counters of all runtimes, once or again and again. */
public final class Watch {
    private static final String CLEAR = "\u001b[H\u001b[2J";

    private final ProxyConfig config;
    private final PrintWriter out;
    private final boolean isTerminal;
    private final boolean withMemory;

    /**
     * Describes what to watch.
     *
     * @param config     may say below which folder the runtimes are
     * @param out        where to print
     * @param isTerminal whether a screen can be cleared there
     * @param withMemory whether to print each connection's memory too
     */
    public Watch(ProxyConfig config, PrintWriter out, boolean isTerminal, boolean withMemory) {
        this.withMemory = withMemory;
        this.config = config;
        this.out = out;
        this.isTerminal = isTerminal;
    }

    /** Prints once. */
    public void once() {
        print(new StatTable(false), false);
    }

    /**
     * Prints again and again, with rates from the second time on, until the thread is interrupted.
     *
     * @param interval from one time to the next
     * @param times    how often; 0 for ever
     */
    public void repeat(Duration interval, int times) {
        StatTable table = new StatTable(true);
        CountDownLatch never = new CountDownLatch(1);
        try {
            for (int i = 1; ; i++) {
                print(table, isTerminal);
                if (i == times || never.await(interval.toNanos(), TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void print(StatTable table, boolean withClear) {
        long nowMs = System.currentTimeMillis();
        List<RuntimeView> views = RuntimeView.all(config, nowMs);
        List<String> lines = table.lines(views, nowMs);
        if (withMemory) {
            views.forEach(view -> lines.addAll(MemoryTable.lines(view)));
        }
        StringBuilder text = new StringBuilder(withClear ? CLEAR : "");
        if (lines.isEmpty()) {
            text.append("no running runtime found under ").append(RuntimeDirectory.place(config)).append('\n');
        }
        lines.forEach(line -> text.append(line).append('\n'));
        out.print(text);
        out.flush();
    }
}
