/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The kernel at one end of a Simple op; moves a slice when told to, if the words allow it. Both ends draw the same
 * sizes and bytes from the op's seed. One thread at a time.
 */
final class TestKernel {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    final DeviceConnection connection;
    final boolean isSender;
    final int nsteps;
    final int slice;
    final long base;
    final long capacity;
    long done;
    /** Of what was sent; null if it is not needed. */
    List<Long> sizes;
    private final SplittableRandom content;

    TestKernel(DeviceConnection connection, boolean isSender, int nsteps, int slice, int chunk, long seed) {
        this.connection = connection;
        this.isSender = isSender;
        this.nsteps = nsteps;
        this.slice = slice;
        this.content = new SplittableRandom(seed);
        this.base = (connection.step() + chunk - 1) / chunk * chunk;
        this.capacity = connection.stepBytes(Protocol.SIMPLE) * slice;
        connection.step(base + nsteps);
        if (!isSender) {
            connection.sendMem().head(base);
        }
    }

    boolean isDone() {
        return done == nsteps;
    }

    /** Fills or reads one slice if it may; returns whether it did. */
    boolean step() {
        if (isDone() || !mayMove()) {
            return false;
        }
        long step = base + done;
        long bytes = nextSize();
        MemorySegment slot = connection.buffer(Protocol.SIMPLE).asSlice(connection.slotOffset(Protocol.SIMPLE, step),
                bytes);
        done += slice;
        if (isSender) {
            fill(slot);
            send(step, bytes);
            if (sizes != null) {
                sizes.add(bytes);
            }
        } else {
            check(slot);
            connection.sendMem().head(base + done);
        }
        return true;
    }

    private boolean mayMove() {
        long step = base + done;
        return isSender ? connection.sendMem().head() + DeviceConnection.STEPS >= step + slice
                : connection.recvMem().tail() >= step + slice;
    }

    private void send(long step, long bytes) {
        if (!connection.isDirect(Protocol.SIMPLE)) {
            connection.recvMem().size((int) (step % DeviceConnection.STEPS), bytes);
        }
        connection.recvMem().tail(base + done);
    }

    private long nextSize() {
        return switch (content.nextInt(4)) {
            case 0 -> 0;
            case 1 -> capacity;
            default -> content.nextLong(capacity + 1);
        };
    }

    private void fill(MemorySegment slot) {
        long seed = content.nextLong();
        for (long i = 0; i + 8 <= slot.byteSize(); i += 8) {
            slot.set(LONG, i, seed + i);
        }
    }

    private void check(MemorySegment slot) {
        long seed = content.nextLong();
        for (long i = 0; i + 8 <= slot.byteSize(); i += 8) {
            assertTrue(slot.get(LONG, i) == seed + i, "bytes differ");
        }
    }

    @Override
    public String toString() {
        return (isSender ? "sender" : "receiver") + ", base " + base + ", done " + done + " of " + nsteps + ", head "
                + connection.sendMem().head() + ", tail " + connection.recvMem().tail();
    }
}
