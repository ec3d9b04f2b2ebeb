/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import io.proxyrt.cli.trace.OpSpan.State;
import io.proxyrt.cli.trace.OpSpan.Way;
import io.proxyrt.core.Direction;
import io.proxyrt.core.counters.ActiveOp;
import io.proxyrt.core.counters.ActiveSnapshot;
import io.proxyrt.core.counters.ConnectionTraffic;
import io.proxyrt.core.counters.Event;
import io.proxyrt.core.counters.EventType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Joins what the black box tells of the beginning and the end of ops. */
final class OpSpans {
    private final long untilNs;
    private final Map<Long, Way> ways = new HashMap<>();
    /** By connection, how many of its ops had ended before those that are known. */
    private final Map<Long, Long> places = new HashMap<>();
    private final Map<Key, Deque<Open>> open = new LinkedHashMap<>();
    private final Map<Long, Integer> openOf = new HashMap<>();
    private final Set<Key> ended = new HashSet<>();
    /** By connection, when its last op ended that has: the next one has waited until then. */
    private final Map<Long, Long> endNs = new HashMap<>();
    private final List<OpSpan> all = new ArrayList<>();
    private final long firstNs;

    /** One of a connection. */
    private record Key(long connection, long opCount) {
    }

    /** What has not ended; it is not known when what is cut began. */
    private record Open(long fetchedNs, OptionalLong begunNs, boolean isCut, int channel, int peer) {
    }

    /** Of a runtime that goes on meanwhile: two looks at what connections carried, and the events between them. */
    OpSpans(long untilNs, List<ConnectionTraffic> before, List<ConnectionTraffic> after, List<Event> events,
            Optional<ActiveSnapshot> active) {
        this.untilNs = untilNs;
        findWays(after, events, active);
        List<Event> ofOps = events.stream().filter(OpSpans::isOfOp).toList();
        findPlaces(before, after, ofOps);
        this.firstNs = ofOps.isEmpty() ? untilNs : Nanos.of(ofOps.getFirst().time());
        ofOps.forEach(this::take);
        open.forEach((key, ops) -> ops.forEach(op -> add(key, op, untilNs, hasBegun(key, op) ? State.ACTIVE
                : State.QUEUED, OptionalLong.empty())));
        active.ifPresent(this::takeActive);
    }

    /** By their beginning. */
    List<OpSpan> all() {
        all.sort(Comparator.comparingLong(OpSpan::startNs));
        return all;
    }

    private static boolean isOfOp(Event event) {
        return switch (event.type()) {
            case FETCHED, BEGUN, DONE, FAILED -> event.connection() != 0;
            default -> false;
        };
    }

    /** Events of ops have no direction; all others that know of a connection do. */
    private void findWays(List<ConnectionTraffic> traffic, List<Event> events, Optional<ActiveSnapshot> active) {
        for (Event event : events) {
            if (event.type() == EventType.CONNECTED || event.type() == EventType.CLOSED) {
                Direction direction = event.detail() == Direction.RECV.ordinal() ? Direction.RECV : Direction.SEND;
                ways.put(event.connection(), new Way(Optional.of(direction), ""));
            }
        }
        active.ifPresent(snapshot -> snapshot.ops().forEach(op -> ways.put(op.connection(),
                new Way(Optional.of(op.direction()), op.transport()))));
        traffic.forEach(row -> ways.put(row.connection(), new Way(Optional.of(row.direction()), row.transport())));
    }

    /** Not of a connection that carried something between the two looks, or has failed. */
    private void findPlaces(List<ConnectionTraffic> before, List<ConnectionTraffic> after, List<Event> events) {
        Map<Long, Long> carried = new HashMap<>();
        before.forEach(row -> carried.put(row.connection(), row.ops()));
        for (ConnectionTraffic row : after) {
            if (carried.getOrDefault(row.connection(), -1L) == row.ops()) {
                places.put(row.connection(), row.ops());
            }
        }
        for (Event event : events) {
            if (event.type() == EventType.DONE) {
                places.computeIfPresent(event.connection(), (connection, ops) -> ops - 1);
            } else if (event.type() == EventType.FAILED) {
                places.remove(event.connection());
            }
        }
    }

    private void take(Event event) {
        Key key = new Key(event.connection(), event.opCount());
        long at = Nanos.of(event.time());
        Deque<Open> ops = open.computeIfAbsent(key, any -> new ArrayDeque<>());
        switch (event.type()) {
            case FETCHED -> {
                boolean isQueued = openOf.merge(event.connection(), 1, Integer::sum) > 1;
                ops.add(new Open(at, isQueued ? OptionalLong.empty() : OptionalLong.of(at), false,
                        event.channel(), event.peer()));
            }
            case BEGUN -> {
                Open waiting = ops.poll();
                if (waiting == null) {
                    openOf.merge(event.connection(), 1, Integer::sum);
                }
                ops.addFirst(new Open(waiting == null ? at : waiting.fetchedNs, OptionalLong.of(at), false,
                        event.channel(), event.peer()));
            }
            default -> end(event, key, ops.poll(), at);
        }
        if (ops.isEmpty()) {
            open.remove(key);
        }
    }

    private void end(Event event, Key key, Open begun, long at) {
        ended.add(key);
        boolean isDone = event.type() == EventType.DONE;
        if (begun != null) {
            openOf.merge(event.connection(), -1, Integer::sum);
        } else if (!isDone) {
            // It may have been refused, and never begun.
            return;
        }
        Open known = begun == null ? new Open(firstNs, OptionalLong.of(firstNs), true, event.channel(), event.peer())
                : begun;
        add(key, known, at, isDone ? State.DONE : State.FAILED,
                isDone ? OptionalLong.of(event.value()) : OptionalLong.empty());
    }

    /** It may have been fetched when it waited for one of which nothing is known any more. */
    private boolean hasBegun(Key key, Open op) {
        return op.begunNs.isPresent() && op.begunNs.getAsLong() >= endNs.getOrDefault(key.connection, Long.MIN_VALUE);
    }

    private void add(Key key, Open op, long toNs, State state, OptionalLong bytes) {
        long startNs = op.begunNs.orElse(op.fetchedNs);
        if (state == State.DONE || state == State.ACTIVE) {
            startNs = Math.max(startNs, endNs.getOrDefault(key.connection, startNs));
        }
        if (state == State.DONE) {
            endNs.put(key.connection, toNs);
        }
        OptionalLong place = OptionalLong.empty();
        if (state == State.DONE && places.containsKey(key.connection)) {
            place = OptionalLong.of(places.merge(key.connection, 1L, Long::sum) - 1);
        }
        all.add(new OpSpan(key.opCount, key.connection, op.channel, op.peer,
                ways.getOrDefault(key.connection, Way.UNKNOWN), Math.min(startNs, toNs), toNs,
                Math.max(0, startNs - op.fetchedNs), op.isCut, state, bytes, place));
    }

    /** Ops that have been active for longer than events are kept. */
    private void takeActive(ActiveSnapshot snapshot) {
        for (ActiveOp op : snapshot.ops()) {
            Key key = new Key(op.connection(), op.opCount());
            if (!open.containsKey(key) && !ended.contains(key)) {
                long startNs = Nanos.plus(Nanos.of(snapshot.time()), -Nanos.of(op.age()));
                add(key, new Open(startNs, OptionalLong.of(startNs), false, op.channel(), op.peer()), untilNs,
                        op.depth() > 0 ? State.QUEUED : State.ACTIVE, OptionalLong.empty());
            }
        }
    }
}
