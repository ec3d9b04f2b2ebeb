/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.jfr.ActiveOpEvent;
import io.proxyrt.core.jfr.Jfr;
import io.proxyrt.core.jfr.OpEvent;
import io.proxyrt.core.jfr.StallEvent;
import io.proxyrt.core.jfr.StepEvent;
import io.proxyrt.core.op.ProxyOp;

/**
 * What a progress agent tells Flight Recorder. The progress thread's; allocates nothing while no recording wants it.
 */
final class OpRecording {
    private static final CollFunction[] FUNCTIONS = CollFunction.values();
    private static final Protocol[] PROTOCOLS = Protocol.values();

    private final int rank;
    private final String job;

    OpRecording(int rank, String job) {
        this.rank = rank;
        this.job = job;
    }

    /** An op was put where it belongs: it is the last of its queue. */
    void fetched(ProxyConnection connection) {
        if (Jfr.recordsOps()) {
            ProxyArgs args = connection.appendQueue().tail;
            args.sub(args.nsubs() - 1).recorded = begun();
        }
    }

    private static OpEvent begun() {
        OpEvent event = new OpEvent();
        event.begin();
        return event;
    }

    /** The connection is null if there is none. */
    void refused(ProxyOp op, ProxyConnection connection, ProxyResult result, String why) {
        if (Jfr.recordsOps()) {
            OpEvent event = begun();
            event.rank = rank;
            event.job = job;
            event.connection = op.connection();
            event.opCount = op.opCount();
            event.peer = op.peer();
            event.channel = op.channelId();
            event.steps = op.nsteps();
            if (connection != null) {
                event.direction = connection.direction().name();
                event.transport = connection.transportName();
            }
            event.function = name(FUNCTIONS, op.coll());
            event.protocol = name(PROTOCOLS, op.protocol());
            event.result = result.name();
            event.error = "refused: " + why;
            event.commit();
        }
    }

    /** The failure is null if it ended well, or was dropped for none of its own. */
    void ended(ProxyArgs args, ProxySubArgs sub, ProxyException failure) {
        OpEvent event = sub.recorded;
        if (event == null) {
            return;
        }
        sub.recorded = null;
        event.end();
        if (event.shouldCommit()) {
            fill(event, args, sub);
            event.function = name(FUNCTIONS, args.coll);
            event.protocol = name(PROTOCOLS, args.protocol);
            event.bytes = sub.bytes;
            event.result = sub.isDone() ? ProxyResult.SUCCESS.name() : failure == null ? "DROPPED"
                    : failure.result().name();
            event.error = failure == null ? null : failure.getMessage();
            event.commit();
        }
    }

    /**
     * Takes any object: else the verifier would load events to see what they extend, and a JVM without Flight Recorder
     * cannot.
     */
    private void fill(Object recorded, ProxyArgs args, ProxySubArgs sub) {
        ActiveOpEvent event = (ActiveOpEvent) recorded;
        event.rank = rank;
        event.job = job;
        event.connection = sub.connection.id();
        event.opCount = args.opCount;
        event.peer = sub.peer;
        event.channel = sub.channelId;
        event.direction = sub.connection.direction().name();
        event.transport = sub.connection.transportName();
        event.steps = sub.nsteps;
        event.done = sub.done;
    }

    /** Numbers of ops may come from other processes. */
    private static String name(Enum<?>[] values, int code) {
        return code >= 0 && code < values.length ? values[code].name() : null;
    }

    /** A look at a group brought it on. */
    void moved(ProxyArgs args) {
        if (Jfr.recordsSteps()) {
            for (int i = 0; i < args.nsubs(); i++) {
                moved(args, args.sub(i));
            }
        }
    }

    private void moved(ProxyArgs args, ProxySubArgs sub) {
        long moves = sub.moves();
        if (moves == sub.recordedMoves) {
            return;
        }
        sub.recordedMoves = moves;
        StepEvent event = new StepEvent();
        fill(event, args, sub);
        event.posted = sub.posted;
        event.received = sub.received;
        event.transmitted = sub.transmitted;
        event.commit();
    }

    void stalled(ProxyArgs args, ProxySubArgs sub, long stillNs, boolean isOver) {
        if (Jfr.recordsStalls()) {
            StallEvent event = new StallEvent();
            fill(event, args, sub);
            event.stillNs = stillNs;
            event.isOver = isOver;
            event.commit();
        }
    }
}
