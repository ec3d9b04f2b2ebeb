/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.dump;

import io.proxyrt.cli.stat.RuntimeChoice;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.counters.CallerView;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.counters.Event;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Prints the last events of runtimes, from their mapped files alone. */
public final class BlackBoxPrint {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS", Locale.ROOT).withZone(ZoneId.systemDefault());

    private final PrintWriter out;
    private final Optional<Destination> json;
    private final int last;
    private final Instant now = Instant.now();
    private final List<BlackBoxView.Entry> entries = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();

    /**
     * Describes how to print.
     *
     * @param out  where to
     * @param json document to write, instead of what is printed if it is for the standard output
     * @param last how many events of a runtime; 0 for all that there are
     */
    public BlackBoxPrint(PrintWriter out, Optional<Destination> json, int last) {
        this.out = out;
        this.json = json;
        this.last = last;
    }

    /**
     * Prints those of a file, which may be a copy.
     *
     * @param file the counters of a runtime, or the folder that they are in
     * @throws ProxyException if it cannot be read, or the document can't be written
     */
    public void print(Path file) {
        CountersFile counters = CountersFile.at(file);
        try (CountersReader reader = CountersReader.open(counters.path())) {
            add(reader, counters.entry());
        }
        write("");
    }

    /**
     * Prints those of runtimes.
     *
     * @param choice which
     * @throws ProxyException if there is no such runtime, or the document can't be written
     */
    public void print(RuntimeChoice choice) {
        for (RuntimeDirectory.Entry entry : choice.entries()) {
            try (CountersReader reader = CountersReader.open(entry.counters())) {
                add(reader, Optional.of(entry));
            } catch (ProxyException e) {
                // One that was closed meanwhile is not worth a word.
                if (Files.exists(entry.path())) {
                    lines.add("rank " + entry.rank() + ", pid " + entry.pid() + ": " + e.getMessage());
                }
            }
        }
        write("no running runtime found under " + RuntimeDirectory.place(choice.config()));
    }

    private void add(CountersReader reader, Optional<RuntimeDirectory.Entry> entry) {
        List<Event> events = new ArrayList<>(reader.events());
        // Of one thread they stay in order.
        events.sort(Comparator.comparing(Event::time));
        List<BlackBoxView.Row> rows = events.subList(last == 0 ? 0 : Math.max(0, events.size() - last), events.size())
                .stream().map(BlackBoxView.Row::of).toList();
        RuntimeState state = RuntimeState.of(reader, entry, now);
        entries.add(new BlackBoxView.Entry(state, rows));
        lines.add(state.title());
        state.problem().ifPresent(problem -> lines.add("first failure: " + problem));
        reader.callers().forEach(caller -> caller.last().ifPresent(call -> lines.add(called(caller, call))));
        if (rows.size() < events.size()) {
            lines.add("the last " + rows.size() + " of " + events.size() + " events:");
        }
        rows.forEach(row -> lines.add(String.format(Locale.ROOT, "%s  %-10s %s", TIME.format(row.time()),
                row.thread(), row.line())));
        lines.add("");
    }

    private static String called(CallerView caller, Event call) {
        return caller.name() + ": last called #" + call.opCount() + ", "
                + OpWord.describe(call.connection(), call.value()) + ", at " + TIME.format(call.time())
                + "; known to have ended: up to #" + caller.finished();
    }

    private void write(String ifNone) {
        json.ifPresent(document -> document.write(Json.text(new BlackBoxView(now, entries))));
        if (Destination.leavesStandardOutput(json)) {
            if (lines.isEmpty()) {
                lines.add(ifNone);
            }
            lines.forEach(line -> out.print(line + '\n'));
            out.flush();
        }
    }
}
