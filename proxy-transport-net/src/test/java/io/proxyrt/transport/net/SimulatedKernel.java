/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * The GPU's side of one op, as RCCL's Simple protocol has it; moves a slice when told to, if the words allow it. Used
 * by one thread at a time.
 */
final class SimulatedKernel {
    private final DeviceConnection connection;
    private final boolean isSender;
    private final int nsteps;
    private final int slice;
    private final SplittableRandom content;
    private final long base;
    private long done;

    private SimulatedKernel(DeviceConnection connection, boolean isSender, int nsteps, int slice, int chunk,
            long seed) {
        this.connection = connection;
        this.isSender = isSender;
        this.nsteps = nsteps;
        this.slice = slice;
        this.content = new SplittableRandom(seed);
        this.base = (connection.step() + chunk - 1) / chunk * chunk;
        connection.step(base + nsteps);
        if (!isSender) {
            connection.sendMem().head(base);
        }
    }

    static SimulatedKernel sending(DeviceConnection connection, int nsteps, int slice, int chunk, long seed) {
        return new SimulatedKernel(connection, true, nsteps, slice, chunk, seed);
    }

    static SimulatedKernel receiving(DeviceConnection connection, int nsteps, int slice, int chunk, long seed) {
        return new SimulatedKernel(connection, false, nsteps, slice, chunk, seed);
    }

    long steps() {
        return done;
    }

    /** Fills or reads one slice if it may; returns whether it did. */
    boolean step() {
        return done < nsteps && (isSender ? write() : read());
    }

    private boolean write() {
        long step = base + done;
        if (connection.sendMem().head() + DeviceConnection.STEPS < step + slice) {
            return false;
        }
        int slot = (int) (step % DeviceConnection.STEPS);
        assertEquals(RecvMem.EMPTY, connection.recvMem().size(slot), "a slot was given back full");
        long bytes = nextSize();
        connection.recvMem().size(slot, bytes);
        for (long i = 0; i < bytes; i++) {
            connection.buffer(Protocol.SIMPLE).set(ValueLayout.JAVA_BYTE,
                    slot * connection.stepBytes(Protocol.SIMPLE) + i, nextByte());
        }
        done += slice;
        connection.recvMem().tail(base + done);
        return true;
    }

    private boolean read() {
        long step = base + done;
        if (connection.recvMem().tail() < step + slice) {
            return false;
        }
        int slot = (int) (step % DeviceConnection.STEPS);
        long bytes = nextSize();
        for (long i = 0; i < bytes; i++) {
            byte expected = nextByte();
            byte actual = connection.buffer(Protocol.SIMPLE).get(ValueLayout.JAVA_BYTE,
                    slot * connection.stepBytes(Protocol.SIMPLE) + i);
            assertTrue(expected == actual, "a byte differs");
        }
        done += slice;
        connection.sendMem().head(base + done);
        return true;
    }

    /** Both ends draw the same sizes and bytes: mostly small, now and then a whole slice. */
    private long nextSize() {
        long whole = slice * connection.stepBytes(Protocol.SIMPLE);
        return switch (content.nextInt(4)) {
            case 0 -> content.nextLong(whole + 1);
            case 1 -> whole;
            default -> content.nextLong(Math.min(whole, 64));
        };
    }

    private byte nextByte() {
        return (byte) content.nextInt();
    }
}
