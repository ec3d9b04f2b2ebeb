/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.Ll128Lines;
import io.proxyrt.core.device.LlLines;
import io.proxyrt.core.device.RecvMem;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * The GPU's side of one op, as RCCL's protocols have it; moves a slice when told to, if the words allow it. Both ends
 * of an op draw the same sizes and bytes from its seed. Used by one thread at a time.
 */
abstract class SimulatedKernel {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    final DeviceConnection connection;
    final Protocol protocol;
    final int slice;
    final int nsteps;
    final long base;
    final MemorySegment buffer;
    /** Most bytes of a slice that are the user's. */
    final long capacity;
    /** The user's registered memory; null if the op uses none. */
    final MemorySegment user;
    long done;
    private final SplittableRandom content;

    private SimulatedKernel(DeviceConnection connection, Op op, MemorySegment user) {
        this.connection = connection;
        this.protocol = op.protocol;
        this.slice = op.slice;
        this.nsteps = op.nsteps;
        this.user = user;
        this.content = new SplittableRandom(op.content);
        this.base = (connection.step() + op.chunk - 1) / op.chunk * op.chunk;
        this.buffer = connection.buffer(protocol);
        this.capacity = switch (protocol) {
            case LL -> LlLines.dataBytes(connection.stepBytes(protocol));
            case LL128 -> Ll128Lines.dataBytes(connection.stepBytes(protocol));
            case SIMPLE -> connection.stepBytes(protocol) * (connection.isShared() ? 1 : op.slice);
        };
        connection.step(base + nsteps);
    }

    /** An op of the Simple protocol, or another; content is the seed of its sizes and bytes. */
    record Op(Protocol protocol, int nsteps, int slice, int chunk, long content) {
        Op(int nsteps, int slice, int chunk, long content) {
            this(Protocol.SIMPLE, nsteps, slice, chunk, content);
        }
    }

    static SimulatedKernel sending(DeviceConnection connection, Op op, MemorySegment user) {
        return new Writer(connection, op, user);
    }

    static SimulatedKernel receiving(DeviceConnection connection, Op op, MemorySegment user) {
        return new Reader(connection, op, user);
    }

    static SimulatedKernel sending(DeviceConnection connection, int nsteps, int slice, int chunk, long seed) {
        return sending(connection, new Op(nsteps, slice, chunk, seed), null);
    }

    static SimulatedKernel receiving(DeviceConnection connection, int nsteps, int slice, int chunk, long seed) {
        return receiving(connection, new Op(nsteps, slice, chunk, seed), null);
    }

    long steps() {
        return done;
    }

    boolean isDone() {
        return done == nsteps;
    }

    /** Fills or reads one slice, or a part of one, if it may; returns whether it did. */
    boolean step() {
        return done < nsteps && move();
    }

    abstract boolean move();

    int slot(long step) {
        return (int) (step % DeviceConnection.STEPS);
    }

    /** Where the user's bytes of a step are, if they are in registered memory: its eight parts are used in turn. */
    long part(long step) {
        return slot(step) * capacity;
    }

    /** Mostly small, now and then a whole slice; lines are never empty. */
    long nextSize() {
        long least = protocol == Protocol.SIMPLE ? 0 : 1;
        return switch (content.nextInt(16)) {
            case 0 -> content.nextLong(least, capacity + 1);
            case 1 -> capacity;
            default -> content.nextLong(least, Math.min(capacity, 64) + 1);
        };
    }

    private static long patternAt(long seed, long i) {
        return (seed + i) * 0x9e3779b97f4a7c15L;
    }

    void fill(MemorySegment to, long offset, long bytes) {
        long seed = content.nextLong();
        long i = 0;
        for (; i + 8 <= bytes; i += 8) {
            to.set(LONG, offset + i, patternAt(seed, i));
        }
        for (; i < bytes; i++) {
            to.set(ValueLayout.JAVA_BYTE, offset + i, (byte) patternAt(seed, i));
        }
    }

    void check(MemorySegment in, long offset, long bytes) {
        long seed = content.nextLong();
        long i = 0;
        for (; i + 8 <= bytes; i += 8) {
            assertTrue(in.get(LONG, offset + i) == patternAt(seed, i), "bytes differ");
        }
        for (; i < bytes; i++) {
            assertTrue(in.get(ValueLayout.JAVA_BYTE, offset + i) == (byte) patternAt(seed, i), "a byte differs");
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " " + protocol + ", base " + base + ", done " + done + " of " + nsteps
                + ", head " + connection.sendMem().head() + ", tail " + connection.recvMem().tail();
    }

    private static final class Writer extends SimulatedKernel {
        private final MemorySegment scratch;
        /** Bytes of a line protocol's slice whose lines are not all written; -1 if there is none. */
        private long unfinished = -1;

        Writer(DeviceConnection connection, Op op, MemorySegment user) {
            super(connection, op, user);
            scratch = protocol == Protocol.SIMPLE ? null : MemorySegment.ofArray(new byte[(int) capacity]);
        }

        @Override
        boolean move() {
            long step = base + done;
            if (unfinished >= 0) {
                return finishLines(step);
            }
            if (connection.sendMem().head() + DeviceConnection.STEPS < step + slice) {
                return false;
            }
            assertEquals(RecvMem.EMPTY, connection.recvMem().size(slot(step)), "a slot was given back full");
            long bytes = nextSize();
            if (protocol == Protocol.SIMPLE) {
                write(step, bytes);
            } else {
                beginLines(step, bytes);
            }
            return true;
        }

        private void write(long step, long bytes) {
            if (user == null || bytes % 3 == 0) {
                if (user != null && !connection.isShared()) {
                    connection.recvMem().place(slot(step), RecvMem.MODE_NORMAL, 0, 0);
                }
                fill(buffer, connection.slotOffset(protocol, step), bytes);
            } else {
                // Of two buffers in one registration: the op's receive buffer begins behind its send buffer.
                int which = bytes % 2 == 0 ? RecvMem.IN_SEND_BUFFER : RecvMem.IN_RECV_BUFFER;
                long half = user.byteSize() / 2;
                fill(user, part(step) + (which == RecvMem.IN_SEND_BUFFER ? 0 : half), bytes);
                connection.recvMem().place(slot(step), RecvMem.MODE_PTR, which, part(step));
            }
            connection.recvMem().size(slot(step), bytes);
            publish();
        }

        /** The size, and a part of the lines only. */
        private void beginLines(long step, long bytes) {
            fill(scratch, 0, bytes);
            connection.recvMem().size(slot(step), protocol == Protocol.LL ? LlLines.wireBytes(bytes)
                    : Ll128Lines.wireBytes(bytes));
            unfinished = bytes;
            pack(step, 0, bytes / 2 / Ll128Lines.DATA_BYTES * Ll128Lines.DATA_BYTES);
            if (protocol == Protocol.LL128) {
                // As if other warps had been slower than the one that publishes.
                connection.recvMem().tail(step + slice);
            }
        }

        private boolean finishLines(long step) {
            long begun = unfinished / 2 / Ll128Lines.DATA_BYTES * Ll128Lines.DATA_BYTES;
            pack(step, begun, unfinished - begun);
            unfinished = -1;
            done += slice;
            return true;
        }

        private void pack(long step, long from, long bytes) {
            long at = connection.slotOffset(protocol, step);
            if (protocol == Protocol.LL) {
                LlLines.pack(scratch, from, bytes, buffer, at + LlLines.wireBytes(from), LlLines.flag(step));
            } else {
                Ll128Lines.pack(scratch, from, bytes, buffer, at + Ll128Lines.wireBytes(from), Ll128Lines.flag(step));
            }
        }

        private void publish() {
            done += slice;
            connection.recvMem().tail(base + done);
        }
    }

    private static final class Reader extends SimulatedKernel {
        private final MemorySegment scratch;
        /** With registered memory: steps for which the proxy was told where the data shall go. */
        private long told;
        private long next = -1;

        Reader(DeviceConnection connection, Op op, MemorySegment user) {
            super(connection, op, user);
            scratch = protocol == Protocol.SIMPLE ? null : MemorySegment.ofArray(new byte[(int) capacity]);
            connection.sendMem().head(base);
        }

        @Override
        boolean move() {
            if (user != null && told < Math.min(nsteps, done + DeviceConnection.STEPS)) {
                tell(base + told);
                told += slice;
                return true;
            }
            long step = base + done;
            if (next < 0) {
                next = nextSize();
            }
            if (!isThere(step)) {
                return false;
            }
            read(step);
            next = -1;
            done += slice;
            connection.sendMem().head(base + done);
            return true;
        }

        private void tell(long step) {
            boolean isUser = step * 7 % 3 != 0;
            if (isUser) {
                connection.recvMem().place(slot(step), RecvMem.MODE_PTR, RecvMem.IN_RECV_BUFFER, part(step));
            } else {
                connection.recvMem().place(slot(step), RecvMem.MODE_NORMAL, 0, 0);
            }
            connection.recvMem().size(slot(step), capacity);
        }

        private boolean isThere(long step) {
            long at = connection.slotOffset(protocol, step);
            return switch (protocol) {
                case LL -> LlLines.isReady(buffer, at, LlLines.wireBytes(next), LlLines.flag(step));
                case LL128 -> Ll128Lines.isReady(buffer, at, Ll128Lines.wireBytes(next), Ll128Lines.flag(step));
                case SIMPLE -> connection.recvMem().tail() >= step + slice;
            };
        }

        private void read(long step) {
            long at = connection.slotOffset(protocol, step);
            switch (protocol) {
                case LL -> {
                    LlLines.unpack(buffer, at, scratch, 0, next);
                    check(scratch, 0, next);
                }
                case LL128 -> {
                    Ll128Lines.unpack(buffer, at, scratch, 0, next);
                    check(scratch, 0, next);
                }
                case SIMPLE -> {
                    if (user != null && connection.recvMem().mode(slot(step)) == RecvMem.MODE_PTR) {
                        check(user, part(step), next);
                    } else {
                        check(buffer, at, next);
                    }
                }
            }
        }
    }
}
