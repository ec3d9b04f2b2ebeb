/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import java.lang.foreign.MemorySegment;

/** The GPU's side of one op of a channel; moves a step when told to, if the words allow it. One thread. */
abstract class TestKernel {
    final TestCollective collective;
    final DeviceConnection connection;
    final MemorySegment data;
    final long base;
    long done;
    private final int rank;
    private final int index;
    private final boolean isAll;

    private TestKernel(TestCollective collective, int rank, int index, boolean isAll, DeviceConnection connection,
            MemorySegment data) {
        this.collective = collective;
        this.rank = rank;
        this.index = index;
        this.isAll = isAll;
        this.connection = connection;
        this.data = data;
        this.base = connection.step();
        connection.step(base + collective.nsteps());
    }

    /** Writes the input of a channel, the index-th of its op. */
    static TestKernel sending(TestCollective collective, TestHead head, int index, MemorySegment input) {
        return new Writer(collective, head, index, input);
    }

    /** Reads the output of a channel. */
    static TestKernel receiving(TestCollective collective, TestHead head, int index, MemorySegment output) {
        return new Reader(collective, head, index, output);
    }

    boolean isDone() {
        return done == collective.nsteps();
    }

    /** Moves a step if it may; returns whether it did. */
    abstract boolean step();

    long place(int plus) {
        return collective.place(isAll, rank, done, index + plus);
    }

    int slot() {
        return (int) ((base + done) % DeviceConnection.STEPS);
    }

    long slotOffset() {
        return connection.slotOffset(Protocol.SIMPLE, base + done);
    }

    MemorySegment pool() {
        return connection.buffer(Protocol.SIMPLE);
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " of head " + rank + ", sub " + index + ", base " + base + ", done " + done
                + " of " + collective.nsteps() + ", head " + connection.sendMem().head() + ", tail "
                + connection.recvMem().tail();
    }

    private static final class Writer extends TestKernel {
        Writer(TestCollective collective, TestHead head, int index, MemorySegment input) {
            super(collective, head.rank, index, collective.function() != CollFunction.ALL_GATHER,
                    head.send(collective.channels()[index]).kernelEnd, input);
        }

        @Override
        boolean step() {
            if (isDone() || connection.sendMem().head() + DeviceConnection.STEPS <= base + done) {
                return false;
            }
            assertEquals(RecvMem.EMPTY, connection.recvMem().size(slot()), "a slot was given back full");
            assertEquals(RecvMem.MODE_OFFSET, connection.recvMem().mode(slot()));
            long from = place(0);
            long bytes = place(1) - from;
            MemorySegment.copy(data, from, pool(), slotOffset(), bytes);
            connection.recvMem().size(slot(), bytes);
            done++;
            connection.recvMem().tail(base + done);
            return true;
        }
    }

    private static final class Reader extends TestKernel {
        private boolean isStarted;

        Reader(TestCollective collective, TestHead head, int index, MemorySegment output) {
            super(collective, head.rank, index, collective.function() != CollFunction.REDUCE_SCATTER,
                    head.recv(collective.channels()[index]).kernelEnd, output);
        }

        @Override
        boolean step() {
            if (!isStarted) {
                isStarted = true;
                connection.sendMem().head(base);
                return true;
            }
            if (isDone() || connection.recvMem().tail() <= base + done) {
                return false;
            }
            assertEquals(RecvMem.EMPTY, connection.recvMem().size(slot()));
            assertEquals(0, connection.recvMem().stamp(slot()));
            long to = place(0);
            MemorySegment.copy(pool(), slotOffset(), data, to, place(1) - to);
            done++;
            connection.sendMem().head(base + done);
            return true;
        }
    }
}
