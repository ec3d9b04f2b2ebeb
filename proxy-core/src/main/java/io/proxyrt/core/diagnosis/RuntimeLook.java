/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.ActiveOp;
import io.proxyrt.core.counters.ActiveSnapshot;
import io.proxyrt.core.counters.CallerView;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.counters.Event;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.diagnosis.CommunicatorCalls.Call;
import io.proxyrt.core.diagnosis.RankObservation.KernelWait;
import io.proxyrt.core.diagnosis.RankObservation.Process;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.op.LaneFill;
import io.proxyrt.core.op.OpsPoolReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One runtime at one moment, by its mapped files and by what the system tells of its process. */
record RuntimeLook(int rank, long pid, boolean isAlive, String job, int nRanks, long heartbeatMs, String failure,
        Optional<ProcessLook> process, Optional<ActiveSnapshot> active, List<CommunicatorCalls> communicators,
        List<LaneFill> lanes, long progress, Instant time) {
    /** A communicator of some ranks calls itself {@code rank 5, 1 of split 2 ...}. */
    private static final Pattern PART = Pattern.compile("rank \\d+, \\d+ of (.+)");
    private static final Pattern WHOLE = Pattern.compile("rank \\d+");
    private static final long MAX_WAIT_MS = Duration.ofDays(1000).toMillis();
    private static final Set<EventType> MOVES =
            EnumSet.of(EventType.CALLED, EventType.FETCHED, EventType.BEGUN, EventType.DONE);
    private static final Set<String> MOVED = Set.of(Counter.NET_BYTES_SENT.label(),
            Counter.NET_BYTES_RECEIVED.label());

    /**
     * Looks.
     *
     * @param process its own, which several runtimes may have
     * @throws ProxyException if the files cannot be read
     */
    static RuntimeLook at(RuntimeDirectory.Entry entry, Optional<ProcessLook> process) {
        try (CountersReader reader = CountersReader.open(entry.counters())) {
            return of(reader, entry.rank(), entry.pid(), entry.isAlive(), process, lanes(entry), Instant.now());
        }
    }

    /**
     * What another host has seen, by that one's clock.
     *
     * @throws ProxyException if it cannot be read
     */
    static RuntimeLook of(RuntimeImage image) {
        try (CountersReader reader = CountersReader.of("the image of rank " + image.rank(), image.counters())) {
            return of(reader, image.rank(), image.pid(), image.isAlive(), image.process(), image.lanes(),
                    image.time());
        } catch (IndexOutOfBoundsException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "the image of rank " + image.rank()
                    + " points behind its end", e);
        }
    }

    private static RuntimeLook of(CountersReader reader, int rank, long pid, boolean isAlive,
            Optional<ProcessLook> process, List<LaneFill> lanes, Instant time) {
        List<Event> events = reader.events();
        Optional<ActiveSnapshot> active = reader.active();
        return new RuntimeLook(rank, pid, isAlive, reader.job(), reader.nRanks(), reader.heartbeatMs(),
                reader.failure(), process, active, communicators(reader.callers(), events, time), lanes,
                progress(reader, events, active), time);
    }

    /** A pool that is not there yet, or not any more, holds no ops. */
    static List<LaneFill> lanes(RuntimeDirectory.Entry entry) {
        try {
            return OpsPoolReader.read(entry.ops());
        } catch (ProxyException e) {
            return List.of();
        }
    }

    private static List<CommunicatorCalls> communicators(List<CallerView> callers, List<Event> events,
            Instant now) {
        List<CommunicatorCalls> all = new ArrayList<>();
        for (CallerView caller : callers) {
            List<Call> calls = events.stream()
                    .filter(event -> event.type() == EventType.CALLED && event.thread().equals(caller.name()))
                    .map(event -> new Call(event.opCount(), event.connection(), event.value(), event.peer(),
                            event.time())).toList();
            all.add(new CommunicatorCalls(communicator(caller.name()), calls, caller.finished(), caller.isIdle(),
                    caller.isIdle() ? Duration.ZERO : waits(caller.name(), events, now)));
        }
        return all;
    }

    /** As its caller noted last, unless it noted something else since. */
    private static Duration waits(String caller, List<Event> events, Instant now) {
        return events.reversed().stream().filter(event -> event.thread().equals(caller)).findFirst()
                .filter(last -> last.type() == EventType.WAITS || last.type() == EventType.STUCK)
                .map(last -> age(last.time(), now).plusMillis(Math.clamp(last.value(), 0, MAX_WAIT_MS)))
                .orElse(Duration.ZERO);
    }

    /** The same at all its ranks. */
    static String communicator(String name) {
        Matcher part = PART.matcher(name);
        return part.matches() ? part.group(1) : WHOLE.matcher(name).matches() ? "" : name;
    }

    /** Changes if anything moves. */
    private static long progress(CountersReader reader, List<Event> events, Optional<ActiveSnapshot> active) {
        long progress = 0;
        for (int i = 0; i < reader.size(); i++) {
            if (MOVED.contains(reader.label(i))) {
                progress = mix(progress, reader.value(i));
            }
        }
        for (Event event : events) {
            if (MOVES.contains(event.type())) {
                progress = mix(progress, event.number() + event.opCount());
            }
        }
        for (ActiveOp op : active.map(ActiveSnapshot::ops).orElse(List.of())) {
            progress = mix(progress, (long) op.posted() + op.received() + op.transmitted() + op.done());
        }
        return progress;
    }

    private static long mix(long sum, long value) {
        return sum * 31 + value;
    }

    /** What is seen of the rank, by this look and one before. */
    RankObservation since(RuntimeLook before) {
        long inFlight = lanes.stream().mapToLong(LaneFill::inFlight).sum();
        // The progress agent says rarely that the last has ended; the pool says so at once.
        boolean haveEnded = inFlight == 0 && !lanes.isEmpty();
        List<ActiveOp> ops = haveEnded ? List.of() : active.map(ActiveSnapshot::ops).orElse(List.of());
        // No one says that a kernel has ended while the agent sleeps, or its caller does something else.
        boolean isIdle = !communicators.isEmpty() && communicators.stream().allMatch(CommunicatorCalls::isIdle);
        List<KernelWait> kernels = isIdle ? List.of() : active.map(ActiveSnapshot::waits).orElse(List.of()).stream()
                .map(wait -> new KernelWait(wait.what(), wait.still())).toList();
        Optional<Duration> heartbeat = heartbeatMs <= 0 ? Optional.empty()
                : Optional.of(age(Instant.ofEpochMilli(heartbeatMs), time));
        Process state = !isAlive ? Process.DEAD
                : process.filter(ProcessLook::isStopped).isPresent() ? Process.STOPPED : Process.RUNNING;
        double noCpu = process.flatMap(later -> before.process.map(then ->
                later.noCpuSince(then, Duration.between(before.time, time).toNanos()))).orElse(0.0);
        return new RankObservation(rank, pid, state, heartbeat,
                process.filter(look -> look.drives(rank)).isPresent(), noCpu, progress != before.progress, ops,
                kernels, lanes.stream().mapToLong(LaneFill::pending).sum(), communicators, failure);
    }

    private static Duration age(Instant from, Instant now) {
        Duration age = Duration.between(from, now);
        return age.isNegative() ? Duration.ZERO : age;
    }
}
