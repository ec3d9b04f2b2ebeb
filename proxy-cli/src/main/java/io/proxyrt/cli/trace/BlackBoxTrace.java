/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import io.proxyrt.cli.dump.CountersFile;
import io.proxyrt.cli.dump.EventText;
import io.proxyrt.cli.dump.RuntimeState;
import io.proxyrt.cli.trace.RankTrace.Call;
import io.proxyrt.cli.trace.RankTrace.Mark;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.ActiveSnapshot;
import io.proxyrt.core.counters.CallerView;
import io.proxyrt.core.counters.ConnectionTraffic;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.counters.Event;
import io.proxyrt.core.counters.EventType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Makes a trace of what a runtime's black box holds: of the last events of each thread. */
final class BlackBoxTrace {
    private static final long STALLED_MS = 1000;

    private final CountersReader reader;
    private final RuntimeState state;
    private final String process;
    private final List<ConnectionTraffic> before;
    private final List<Event> events;
    private final Optional<ActiveSnapshot> active;
    private final List<ConnectionTraffic> after;
    private final Map<String, Long> finished;
    private final long untilNs;
    private final List<Mark> marks = new ArrayList<>();

    /** One of a connection; of none for what a caller does. */
    private record Op(long connection, long opCount) {
    }

    private BlackBoxTrace(CountersReader reader, CountersFile file) {
        Instant now = Instant.now();
        this.reader = reader;
        this.state = RuntimeState.of(reader, file.entry(), now);
        this.process = file.entry().isEmpty() ? RankTrace.COPY : state.process();
        this.before = reader.traffic();
        this.events = reader.events();
        this.active = reader.active();
        this.after = reader.traffic();
        this.finished = reader.callers().stream().collect(
                Collectors.toMap(CallerView::name, CallerView::finished, Math::max));
        boolean isRunning = process.equals("running");
        long last = Math.max(events.stream().mapToLong(event -> Nanos.of(event.time())).max().orElse(0),
                active.map(snapshot -> Nanos.of(snapshot.time())).orElse(0L));
        this.untilNs = isRunning ? Math.max(last, Nanos.of(now)) : last;
    }

    /**
     * Reads one.
     *
     * @throws ProxyException if it cannot be read, or is nonsense
     */
    static RankTrace read(CountersFile file) {
        try (CountersReader reader = CountersReader.open(file.path())) {
            if (reader.nRanks() < 1 || reader.nRanks() > RankTrace.MAX_RANKS || reader.rank() < 0
                    || reader.rank() >= reader.nRanks()) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, file.path() + " claims to be of rank "
                        + reader.rank() + " of " + reader.nRanks());
            }
            return new BlackBoxTrace(reader, file).trace();
        }
    }

    private RankTrace trace() {
        List<OpSpan> ops = new OpSpans(untilNs, before, after, events, active).all();
        Map<Op, OpSpan> spans = new HashMap<>();
        ops.forEach(op -> spans.put(new Op(op.connection(), op.opCount()), op));
        events.stream().collect(Collectors.groupingBy(Event::thread)).values()
                .forEach(ofThread -> addWaits(ofThread, spans));
        events.stream().filter(event -> event.type() == EventType.ERROR || event.type() == EventType.FAILED
                || event.type() == EventType.STUCK).forEach(event -> marks.add(mark(event)));
        marks.sort(Comparator.comparingLong(Mark::startNs).thenComparing(Mark::what));
        List<Call> calls = events.stream().filter(event -> event.type() == EventType.CALLED).map(this::call)
                .sorted(Comparator.comparingLong(Call::timeNs)).toList();
        return new RankTrace(state.job(), state.rank(), state.ranks(), state.pid(), process, reader.failure(),
                reader.clockOrigin().map(Nanos::of).orElse(0L), untilNs, ops, calls, marks);
    }

    private Call call(Event event) {
        long number = event.opCount();
        boolean isKnownEnded = number > 0 && number <= finished.getOrDefault(event.thread(), 0L);
        String peer = event.peer() < 0 ? "" : " with rank " + event.peer();
        return new Call(event.thread(), number, EventText.tell(event) + peer, Nanos.of(event.time()), isKnownEnded);
    }

    private static Mark mark(Event event) {
        long at = Nanos.of(event.time());
        String whose = event.connection() != 0 ? " " + op(event) : event.peer() < 0 ? "" : " by rank " + event.peer();
        return new Mark(event.thread(), event.type(), event.type().label() + whose + ": " + EventText.tell(event), at,
                at);
    }

    /** A standstill is noted a while after it began; its end is noted at once. */
    private void addWaits(List<Event> ofThread, Map<Op, OpSpan> spans) {
        Map<Op, Event> open = new LinkedHashMap<>();
        for (Event event : ofThread) {
            Op op = new Op(event.connection(), event.opCount());
            switch (event.type()) {
                case STALLED, WAITS -> open.put(op, event);
                case RESUMED -> {
                    open.remove(op);
                    addWait(event, spans.get(op), Nanos.of(event.time()));
                }
                case DONE, FAILED -> Optional.ofNullable(open.remove(op))
                        .ifPresent(begun -> addWait(begun, spans.get(op), Nanos.of(event.time())));
                default -> { }
            }
        }
        open.forEach((op, begun) -> addWait(begun, spans.get(op), untilNs));
    }

    /** An op that waits for the one before it does not move either, which says nothing. */
    private void addWait(Event event, OpSpan span, long endNs) {
        long startNs = Nanos.plus(Nanos.of(event.time()), -stillNs(event));
        boolean isOfOp = event.connection() != 0;
        if (isOfOp && span != null) {
            startNs = span.state() == OpSpan.State.QUEUED ? endNs : Math.max(startNs, span.startNs());
        }
        if (startNs < endNs) {
            marks.add(new Mark(event.thread(), isOfOp ? EventType.STALLED : EventType.WAITS,
                    isOfOp ? op(event) + " does not move" : "nothing moves while the caller waits", startNs, endNs));
        }
    }

    private static String op(Event event) {
        return "op " + event.opCount() + " of rank " + event.peer() + ", channel " + event.channel();
    }

    private static long stillNs(Event event) {
        return Nanos.ofMillis(event.type() == EventType.STALLED ? STALLED_MS : event.value());
    }
}
