/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.ActiveOps;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.EventRing;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.counters.Traffic;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.HostStreams;
import io.proxyrt.core.op.OpsFetcher;
import io.proxyrt.core.op.ProxyOp;
import java.util.function.Consumer;

/**
 * What others can see of a progress agent from outside, also when its process is stopped or dead: events as they come,
 * the active ops every millisecond, or less often if they are many, and kernels ten times a second. The progress
 * thread's; takes its time from the agent, and allocates nothing but for kernels that do not move.
 */
final class Trail {
    static final long STALL_NS = 1_000_000_000;
    private static final long HEARTBEAT_NS = 100_000_000;
    /** A group takes some 40 ns to publish: so it takes a thousandth of the thread's time, whatever there is. */
    private static final long NS_PER_GROUP = 40_000;
    private static final long SHORTEST_NS = 1_000_000;

    private final Counters counters;
    private final OpsFetcher fetcher;
    private final ActiveList active;
    private final EventRing ring;
    private final ActiveOps snapshot;
    private final Traffic traffic;
    private final OpRecording recording;
    private final Consumer<HostStream> publishStream = this::publish;
    private volatile HostStreams streams;
    private long nowNs;
    private long lastHeartbeatNs;
    private long nextPublishNs;
    private long worstNs;
    /** Of a pass whose end is not known yet: it had ops, and no sleep. */
    private boolean isTimed;

    Trail(Counters counters, OpsFetcher fetcher, ActiveList active, long nowNs) {
        this.counters = counters;
        this.fetcher = fetcher;
        this.active = active;
        this.ring = counters.blackBox().progress();
        this.snapshot = counters.blackBox().activeOps();
        this.traffic = counters.blackBox().traffic();
        this.recording = new OpRecording(counters.rank(), counters.job());
        this.nowNs = nowNs;
        this.lastHeartbeatNs = nowNs - HEARTBEAT_NS;
        ring.add(nowNs, EventType.STARTED, 0, 0, 0, 0, EventRing.NO_PEER, 0);
    }

    /** Kernels of these are told too, if they stand still. */
    void streams(HostStreams ofRuntime) {
        streams = ofRuntime;
    }

    void stopped() {
        ring.add(EventType.ENDED, 0, 0, 0);
    }

    void fetched(ProxyOp op, ProxyConnection connection) {
        ring.add(nowNs, EventType.FETCHED, 0, op.opCount(), op.connection(), op.channelId(), op.peer(), op.nbytes());
        recording.fetched(connection);
    }

    /** A group takes the place of the one that it waited for. */
    void begun(ProxyArgs args) {
        for (int i = 0; i < args.nsubs(); i++) {
            add(EventType.BEGUN, 0, args, args.sub(i), args.sub(i).nsteps);
        }
    }

    void ended(ProxyArgs args, ProxySubArgs sub) {
        ProxyException failure = sub.isDone() ? null : sub.connection.failure();
        if (sub.isStalled) {
            resumed(args, sub);
        }
        add(sub.isDone() ? EventType.DONE : EventType.FAILED, failure == null ? 0 : failure.result().code(), args, sub,
                sub.isDone() ? sub.bytes : sub.done);
        sub.connection.carried(traffic, sub.bytes, sub.done, nowNs);
        recording.ended(args, sub, failure);
    }

    /** A look at a group brought it on. */
    void moved(ProxyArgs args) {
        recording.moved(args);
    }

    /** A group was taken out. */
    void left() {
        if (active.head() == null && !snapshot.isEmpty()) {
            publish(false);
        }
    }

    /** The connection is null if there is none. */
    void refused(ProxyOp op, ProxyConnection connection, ProxyResult result, String why) {
        ring.add(nowNs, EventType.FAILED, result.code(), op.opCount(), op.connection(), op.channelId(), op.peer(), 0);
        recording.refused(op, connection, result, why);
    }

    /** The agent has slept: what lies between two looks at the clock is no pass. */
    void slept() {
        isTimed = false;
    }

    /** Returns whether it was time for a heartbeat. */
    boolean tick(long newNowNs) {
        if (isTimed && newNowNs - nowNs > worstNs) {
            worstNs = newNowNs - nowNs;
            counters.set(Counter.PROGRESS_WORST, worstNs / 1000);
        }
        isTimed = active.head() != null;
        nowNs = newNowNs;
        if (nowNs - lastHeartbeatNs < HEARTBEAT_NS) {
            if (isTimed && nowNs - nextPublishNs >= 0) {
                publish(false);
            }
            return false;
        }
        lastHeartbeatNs = nowNs;
        counters.heartbeat(System.currentTimeMillis());
        publish(true);
        return true;
    }

    private void publish(boolean withKernels) {
        nextPublishNs = nowNs + Math.max(SHORTEST_NS, active.groups() * NS_PER_GROUP);
        HostStreams ofRuntime = streams;
        boolean isAnyLaunched = withKernels && ofRuntime != null && ofRuntime.isAnyLaunched();
        if (active.head() == null && snapshot.isEmpty() && !isAnyLaunched) {
            return;
        }
        snapshot.begin(nowNs);
        int group = 0;
        for (ProxyArgs head = active.head(); head != null; head = head.next) {
            int depth = 0;
            for (ProxyArgs args = head; args != null; args = args.nextPeer) {
                publish(args, group++, depth++);
            }
        }
        if (isAnyLaunched) {
            ofRuntime.forEach(publishStream);
        } else if (!withKernels) {
            snapshot.keepWaits();
        }
        snapshot.end();
    }

    private void publish(HostStream stream) {
        if (stream.isStill(nowNs)) {
            String what = stream.describe();
            if (!what.isEmpty()) {
                snapshot.wait(stream.stillSinceNs(), what);
            }
        }
    }

    private void publish(ProxyArgs args, int group, int depth) {
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            look(args, sub);
            if (snapshot.next()) {
                ProxyConnection connection = sub.connection;
                snapshot.op(args.opCount, connection.id(), sub.seenSince, sub.movedNs);
                snapshot.way(connection.direction(), sub.peer, sub.channelId, connection.transportName());
                snapshot.kind(args.protocol, args.coll, args.dtype, args.redOp);
                snapshot.size(sub.nbytes, sub.nsteps, sub.base);
                snapshot.steps(sub.posted, sub.received, sub.transmitted, sub.done);
                snapshot.place(args.state.ordinal(), group, depth);
            }
        }
    }

    /** Finds whether an op has moved since the last look. */
    private void look(ProxyArgs args, ProxySubArgs sub) {
        long since = fetcher.since(sub.ticket);
        long moves = sub.moves();
        if (since != sub.seenSince) {
            assert !sub.isStalled : sub;
            sub.seenSince = since;
            sub.movedNs = since;
        } else if (moves != sub.seenMoves) {
            if (sub.isStalled) {
                resumed(args, sub);
            }
            sub.movedNs = nowNs;
        } else if (!sub.isStalled && nowNs - sub.movedNs > STALL_NS) {
            sub.isStalled = true;
            add(EventType.STALLED, 0, args, sub, sub.done);
            recording.stalled(args, sub, nowNs - sub.movedNs, false);
        }
        sub.seenMoves = moves;
    }

    /** It moves again, or has ended: one that has not moved until then has only that to tell. */
    private void resumed(ProxyArgs args, ProxySubArgs sub) {
        sub.isStalled = false;
        if (sub.moves() != sub.seenMoves) {
            add(EventType.RESUMED, 0, args, sub, (nowNs - sub.movedNs) / 1_000_000);
        }
        recording.stalled(args, sub, nowNs - sub.movedNs, true);
    }

    private void add(EventType type, int detail, ProxyArgs args, ProxySubArgs sub, long value) {
        ring.add(nowNs, type, detail, args.opCount, sub.connection.id(), sub.channelId, sub.peer, value);
    }
}
