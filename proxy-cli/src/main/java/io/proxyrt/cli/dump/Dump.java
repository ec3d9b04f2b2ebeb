/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.dump;

import io.proxyrt.cli.stat.RuntimeChoice;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Prints what runtimes work on and what that waits for, from their mapped files alone. */
public final class Dump {
    private static final int RECENT = 8;

    private final RuntimeChoice choice;
    private final PrintWriter out;
    private final Optional<Destination> json;

    /**
     * Describes what to print.
     *
     * @param choice which runtimes
     * @param out    where to
     * @param json   document to write, instead of what is printed if it is for the standard output
     */
    public Dump(RuntimeChoice choice, PrintWriter out, Optional<Destination> json) {
        this.choice = choice;
        this.out = out;
        this.json = json;
    }

    /**
     * Prints once.
     *
     * @throws ProxyException if there is no such runtime, or the document can't be written
     */
    public void print() {
        Instant now = Instant.now();
        List<String> lines = new ArrayList<>();
        List<DumpView.Entry> entries = new ArrayList<>();
        for (RuntimeDirectory.Entry entry : choice.entries()) {
            try {
                DumpView.Entry view = DumpView.entry(entry, now);
                entries.add(view);
                lines.addAll(lines(view, now));
            } catch (ProxyException e) {
                // One that was closed meanwhile is not worth a word.
                if (Files.exists(entry.path())) {
                    lines.add("rank " + entry.rank() + ", pid " + entry.pid() + ": " + e.getMessage());
                }
            }
        }
        json.ifPresent(document -> document.write(Json.text(new DumpView(now, entries))));
        if (Destination.leavesStandardOutput(json)) {
            if (lines.isEmpty()) {
                lines.add("no running runtime found under " + RuntimeDirectory.place(choice.config()));
            }
            lines.forEach(line -> out.print(line + '\n'));
            out.flush();
        }
    }

    static List<String> lines(DumpView.Entry view, Instant now) {
        List<String> lines = new ArrayList<>();
        lines.add(view.runtime().title());
        view.runtime().problem().ifPresent(problem -> lines.add("first failure: " + problem));
        view.problems().forEach(lines::add);
        long inFlight = view.lanes().stream().mapToLong(DumpView.Lane::inFlight).sum();
        if (!view.ops().isEmpty() && inFlight == 0 && view.problems().isEmpty()) {
            lines.add("ops: all have ended since the progress agent told of them last");
        } else if (view.ops().isEmpty() && view.kernels().isEmpty()) {
            lines.add(inFlight == 0 ? "ops: none is active" : "ops: " + inFlight + " are in flight");
        } else {
            view.asOf().ifPresent(time -> lines.add("as of " + RuntimeState.seconds(RuntimeState.seconds(time, now))
                    + " ago:"));
            lines.addAll(view.lines());
        }
        addRecent(lines, view.recent());
        for (DumpView.Lane lane : view.lanes()) {
            if (lane.pending() > 0) {
                lines.add("lane " + lane.lane() + ": " + lane.pending() + " ops posted by process " + lane.posterPid()
                        + " and not fetched, " + lane.inFlight() + " in flight, of " + lane.capacity());
            }
        }
        lines.add("");
        return lines;
    }

    private static void addRecent(List<String> lines, List<BlackBoxView.Row> recent) {
        if (!recent.isEmpty()) {
            lines.add("fetched since, and not ended, of unknown steps:");
            recent.stream().limit(RECENT).forEach(row -> lines.add("  " + row.line()));
            if (recent.size() > RECENT) {
                lines.add("  and " + (recent.size() - RECENT) + " more");
            }
        }
    }
}
