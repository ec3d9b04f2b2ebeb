/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.Ll128Lines;
import io.proxyrt.core.device.LlLines;
import java.lang.foreign.MemorySegment;

/**
 * One end of an op, as kernels of a GPU do it: moves a slice between user memory and slots when told to, if the control
 * words allow it. One thread at a time.
 */
abstract class StepKernel {
    final DeviceConnection connection;
    final StepOp op;
    final MemorySegment user;
    final long base;
    long done;
    private long moved;

    private StepKernel(DeviceConnection connection, StepOp op, MemorySegment user) {
        this.connection = connection;
        this.op = op;
        this.user = user;
        this.base = (connection.step() + op.chunk() - 1) / op.chunk() * op.chunk();
        connection.step(base + op.nsteps());
    }

    static StepKernel sending(DeviceConnection connection, StepOp op, MemorySegment user) {
        return new Writer(connection, op, user);
    }

    static StepKernel receiving(DeviceConnection connection, StepOp op, MemorySegment user) {
        return new Reader(connection, op, user);
    }

    boolean isDone() {
        return done == op.nsteps();
    }

    /** Moves one slice if it may; returns whether it did. */
    boolean step() {
        if (isDone()) {
            return false;
        }
        long bytes = Math.min(op.sliceBytes(), user.byteSize() - moved);
        if (!move(base + done, moved, bytes)) {
            return false;
        }
        moved += bytes;
        done += op.slice();
        return true;
    }

    abstract boolean move(long step, long at, long bytes);

    static int slot(long step) {
        return (int) (step % DeviceConnection.STEPS);
    }

    private static final class Writer extends StepKernel {
        Writer(DeviceConnection connection, StepOp op, MemorySegment user) {
            super(connection, op, user);
        }

        @Override
        boolean move(long step, long at, long bytes) {
            if (connection.sendMem().head() + DeviceConnection.STEPS < step + op.slice()) {
                return false;
            }
            MemorySegment buffer = connection.buffer(op.protocol());
            long offset = connection.slotOffset(op.protocol(), step);
            switch (op.protocol()) {
                case LL -> {
                    size(step, LlLines.wireBytes(bytes));
                    LlLines.pack(user, at, bytes, buffer, offset, LlLines.flag(step));
                }
                case LL128 -> {
                    size(step, Ll128Lines.wireBytes(bytes));
                    Ll128Lines.pack(user, at, bytes, buffer, offset, Ll128Lines.flag(step));
                    tail(step);
                }
                case SIMPLE -> {
                    MemorySegment.copy(user, at, buffer, offset, bytes);
                    size(step, bytes);
                    connection.recvMem().tail(step + op.slice());
                }
            }
            return true;
        }

        private void size(long step, long bytes) {
            if (!connection.isDirect(op.protocol())) {
                connection.recvMem().size(slot(step), bytes);
            }
        }

        private void tail(long step) {
            if (!connection.isDirect(op.protocol())) {
                connection.recvMem().tail(step + op.slice());
            }
        }
    }

    private static final class Reader extends StepKernel {
        Reader(DeviceConnection connection, StepOp op, MemorySegment user) {
            super(connection, op, user);
            connection.sendMem().head(base);
        }

        @Override
        boolean move(long step, long at, long bytes) {
            MemorySegment buffer = connection.buffer(op.protocol());
            long offset = connection.slotOffset(op.protocol(), step);
            if (!isThere(step, buffer, offset, bytes)) {
                return false;
            }
            switch (op.protocol()) {
                case LL -> LlLines.unpack(buffer, offset, user, at, bytes);
                case LL128 -> Ll128Lines.unpack(buffer, offset, user, at, bytes);
                case SIMPLE -> MemorySegment.copy(buffer, offset, user, at, bytes);
            }
            connection.sendMem().head(step + op.slice());
            return true;
        }

        private boolean isThere(long step, MemorySegment buffer, long offset, long bytes) {
            return switch (op.protocol()) {
                case LL -> LlLines.isReady(buffer, offset, LlLines.wireBytes(bytes), LlLines.flag(step));
                case LL128 -> Ll128Lines.isReady(buffer, offset, Ll128Lines.wireBytes(bytes), Ll128Lines.flag(step));
                case SIMPLE -> connection.recvMem().tail() >= step + op.slice();
            };
        }
    }
}
