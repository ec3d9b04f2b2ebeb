/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Prints the counters of all runtimes, once or again and again. */
public final class Watch {
    private static final String CLEAR = "\u001b[H\u001b[2J";

    private final RuntimeChoice choice;
    private final PrintWriter out;
    private final StatStyle style;
    private final Optional<Destination> json;
    private final TrafficTable traffic = new TrafficTable();

    /**
     * Describes what to watch.
     *
     * @param choice which runtimes
     * @param out    where to print
     * @param style  of what is printed
     * @param json   document to write each time, instead of what is printed if it is for the standard output
     */
    public Watch(RuntimeChoice choice, PrintWriter out, StatStyle style, Optional<Destination> json) {
        this.choice = choice;
        this.out = out;
        this.style = style;
        this.json = json;
    }

    /**
     * Prints once.
     *
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the output was closed or the document can't be written
     */
    public void once() {
        print(new StatTable(false, style), false);
    }

    /**
     * Prints once, in the text format of Prometheus.
     *
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the output was closed
     */
    public void prometheus() {
        out.print(Prometheus.text(RuntimeView.all(choice, System.currentTimeMillis())));
        if (out.checkError()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "metrics cannot be printed: their output was closed");
        }
    }

    /**
     * Prints again and again, with rates from the second time on, until the thread is interrupted.
     *
     * @param interval from one time to the next
     * @param times    how often; 0 for ever
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the output was closed or the document can't be written
     */
    public void repeat(Duration interval, int times) {
        StatTable table = new StatTable(true, style);
        CountDownLatch never = new CountDownLatch(1);
        try {
            for (int i = 1; ; i++) {
                print(table, style.isTerminal());
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
        List<RuntimeView> views = RuntimeView.all(choice, nowMs);
        json.ifPresent(document -> document.write(Json.text(StatView.of(views, nowMs))));
        if (Destination.leavesStandardOutput(json)) {
            print(table, views, nowMs, withClear);
        }
    }

    private void print(StatTable table, List<RuntimeView> views, long nowMs, boolean withClear) {
        List<String> lines = table.lines(views, nowMs);
        if (style.withMemory()) {
            views.forEach(view -> lines.addAll(MemoryTable.lines(view)));
        }
        if (style.withTraffic()) {
            lines.addAll(traffic.lines(views, nowMs));
        }
        StringBuilder text = new StringBuilder(withClear ? CLEAR : "");
        if (lines.isEmpty()) {
            text.append("no running runtime found under ").append(RuntimeDirectory.place(choice.config())).append('\n');
        }
        lines.forEach(line -> text.append(line).append('\n'));
        out.print(text);
        if (out.checkError()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the table cannot be printed: its output was closed");
        }
    }
}
