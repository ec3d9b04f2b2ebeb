/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.dump;

import io.proxyrt.cli.view.Json;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.counters.ActiveOp;
import io.proxyrt.core.counters.ActiveSnapshot;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.counters.Event;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.op.LaneFill;
import io.proxyrt.core.op.OpsPoolReader;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What runtimes work on. Its components are the fields of the JSON document.
 *
 * @param time     of the look
 * @param runtimes by rank
 */
record DumpView(Instant time, List<Entry> runtimes) {
    /**
     * A runtime.
     *
     * @param runtime  which, and whether it lives
     * @param asOf     when it said last what it works on
     * @param ops      then
     * @param unlisted ops for which its file had no room
     * @param kernels  that stood still then
     * @param recent   ops that were fetched after that and have not ended, of which steps are not known
     * @param lanes    of its ops pool, as they are now
     * @param lines    the same for people
     * @param problems why something is missing
     */
    record Entry(RuntimeState runtime, Optional<Instant> asOf, List<Op> ops, int unlisted, List<Kernel> kernels,
            List<BlackBoxView.Row> recent, List<Lane> lanes, List<String> problems, @Json.TextOnly List<String> lines) {
    }

    /**
     * An op.
     *
     * @param opCount      the grouping key
     * @param connection   its id, in hexadecimal digits
     * @param transport    that carries it
     * @param direction    send or recv
     * @param peer         rank at the other end
     * @param channel      of the communicator
     * @param isMessage    false for a part of a collective
     * @param group        its group's number
     * @param depth        0 if it is advanced, else how many wait before it
     * @param bytes        of a slice, at most
     * @param steps        of it
     * @param posted       steps
     * @param received     steps
     * @param transmitted  steps
     * @param done         steps
     * @param ageSeconds   since it was fetched
     * @param stillSeconds since it last moved
     * @param waitsFor     whom, for people
     */
    record Op(long opCount, String connection, String transport, String direction, int peer, int channel,
            boolean isMessage, int group, int depth, long bytes, int steps, int posted, int received, int transmitted,
            int done, double ageSeconds, double stillSeconds, String waitsFor) {
        static Op of(ActiveOp op) {
            return new Op(op.opCount(), Long.toHexString(op.connection()), op.transport(),
                    op.direction().name().toLowerCase(Locale.ROOT), op.peer(), op.channel(), op.isMessage(),
                    op.group(), op.depth(), op.nbytes(), op.nsteps(), op.posted(), op.received(), op.transmitted(),
                    op.done(), seconds(op.age()), seconds(op.still()), op.waitsFor());
        }
    }

    /**
     * A kernel that stands still.
     *
     * @param stillSeconds since it last moved
     * @param what         it is, and what it waits for
     */
    record Kernel(double stillSeconds, String what) {
    }

    /**
     * A lane of the ops pool.
     *
     * @param lane      its number
     * @param capacity  of it
     * @param pending   ops that were not fetched
     * @param inFlight  ops that have not ended
     * @param posterPid process that posts there
     */
    record Lane(int lane, int capacity, long pending, long inFlight, long posterPid) {
        static Lane of(LaneFill fill) {
            return new Lane(fill.lane(), fill.capacity(), fill.pending(), fill.inFlight(), fill.posterPid());
        }
    }

    static Entry entry(RuntimeDirectory.Entry from, Instant now) {
        try (CountersReader reader = CountersReader.open(from.counters())) {
            RuntimeState state = RuntimeState.of(reader, Optional.of(from), now);
            List<LaneFill> fills;
            List<String> problems = List.of();
            try {
                fills = OpsPoolReader.read(from.ops());
            } catch (ProxyException e) {
                fills = List.of();
                problems = List.of(e.getMessage());
            }
            return of(state, reader.active(), reader.events(), fills.stream().filter(fill -> fill.posterPid() != 0
                    || fill.pending() + fill.inFlight() > 0).map(Lane::of).toList(), problems);
        }
    }

    private static Entry of(RuntimeState state, Optional<ActiveSnapshot> active, List<Event> events, List<Lane> lanes,
            List<String> problems) {
        ActiveSnapshot snapshot = active.orElse(new ActiveSnapshot(Instant.EPOCH, List.of(), 0, List.of()));
        return new Entry(state, active.map(ActiveSnapshot::time), snapshot.ops().stream().map(Op::of).toList(),
                snapshot.unlisted(), snapshot.waits().stream()
                        .map(wait -> new Kernel(seconds(wait.still()), wait.what())).toList(),
                recent(snapshot, events, lanes.stream().mapToLong(Lane::inFlight).sum()), lanes, problems,
                snapshot.lines());
    }

    /** Of a thread that was stopped or killed, or that is stuck, the snapshot may be some milliseconds too old. */
    private static List<BlackBoxView.Row> recent(ActiveSnapshot snapshot, List<Event> events, long inFlight) {
        if (inFlight <= snapshot.ops().size() + snapshot.unlisted()) {
            return List.of();
        }
        Map<String, Event> begun = new LinkedHashMap<>();
        for (Event event : events) {
            String op = event.connection() + " " + event.opCount();
            switch (event.type()) {
                case FETCHED -> begun.put(op, event);
                case DONE, FAILED -> begun.remove(op);
                default -> { }
            }
        }
        snapshot.ops().forEach(op -> begun.remove(op.connection() + " " + op.opCount()));
        return begun.values().stream().map(BlackBoxView.Row::of).toList();
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }
}
