/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Direction;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.ActiveOps;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.EventRing;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.directory.RuntimeDirectory;

/** A runtime's files, with events that a test makes up, of 10 s ago. */
public final class RankFiles implements AutoCloseable {
    private static final long MS = 1_000_000;
    private static final long CONNECTION = 0x100000000L;
    /** Of all ranks. */
    private static final long START_NS = System.nanoTime() - 10_000 * MS;

    private final RuntimeDirectory directory;
    private final Counters counters;

    /** Rank of a job of four. */
    public RankFiles(ProxyConfig config, int rank) {
        directory = RuntimeDirectory.create(config, rank);
        counters = Counters.create(directory.counters(), "a job", rank, 4);
    }

    public RuntimeDirectory directory() {
        return directory;
    }

    public Counters counters() {
        return counters;
    }

    public void connected(int connection, Direction direction, int peer) {
        counters.blackBox().service().add(START_NS, EventType.CONNECTED, direction.ordinal(), 0,
                CONNECTION + connection, 0, peer, 0);
    }

    void carried(int connection, Direction direction, int peer, int ops) {
        counters.blackBox().traffic().open(CONNECTION + connection, direction, peer, "NET");
        for (int i = 0; i < ops; i++) {
            counters.blackBox().traffic().add(CONNECTION + connection, 64, 1, START_NS);
        }
    }

    void op(long atMs, EventType type, long opCount, int connection, int peer, long value) {
        counters.blackBox().progress().add(START_NS + atMs * MS, type, 0, opCount, CONNECTION + connection, 0, peer,
                value);
    }

    /** Calls of a communicator, each numbered as it was made, so long after the start. */
    public void called(String communicator, long... atMs) {
        EventRing caller = counters.blackBox().caller(communicator);
        for (int i = 0; i < atMs.length; i++) {
            caller.called(START_NS + atMs[i] * MS, i + 1, OpWord.word(CollFunction.ALL_REDUCE, DataType.FLOAT32,
                    RedOp.SUM, 0), 4096, EventRing.NO_PEER);
        }
    }

    /** All that the agent works on. */
    void active(long opCount, int connection, int peer) {
        ActiveOps ops = counters.blackBox().activeOps();
        ops.begin(START_NS + 9000 * MS);
        ops.next();
        ops.op(opCount, CONNECTION + connection, START_NS, START_NS);
        ops.way(Direction.SEND, peer, 0, "NET");
        ops.place(2, 0, 0);
        ops.end();
    }

    /** Takes 5 ms. */
    public void whole(long atMs, long opCount, int connection, int peer) {
        op(atMs, EventType.FETCHED, opCount, connection, peer, 64);
        op(atMs + 5, EventType.DONE, opCount, connection, peer, 64);
    }

    @Override
    public void close() {
        counters.close();
        directory.close();
    }
}
