/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.PeerMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where a GPU's kernels find what a peer registered: {@link PeerMemory} once more, in the host's memory, for allocating
 * and copying may wait for running kernels. A handle lies at its number modulo {@value #PLACES} or at one of the
 * {@value #PROBES} that follow, which wrap around; no handle is given twice.
 *
 * <pre>
 *   0        8         16
 *  +--------+---------+-------+
 *  | handle | address | bytes |
 *  +--------+---------+-------+
 * </pre>
 */
final class PlaceTable implements PeerMemory.Mirror, AutoCloseable {
    static final int PLACES = 1024;
    static final int PROBES = 16;
    static final long STRIDE = 24;
    private static final long LONGEST_LAUNCH_NS = 10_000_000_000L;
    private static final long PAUSE_NS = 20_000;
    private static final long ADDRESS = 8;
    private static final long BYTES = 16;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final Device device;
    private final PeerMemory mirrored;
    private final DeviceMemory memory;
    private final MemorySegment words;
    /** So many removals, and one. */
    private final AtomicLong version = new AtomicLong(1);
    private volatile boolean isLaunching;

    /** Up to date until it is closed. */
    PlaceTable(Device device, PeerMemory mirrored) {
        this.device = device;
        this.mirrored = mirrored;
        this.memory = device.allocateHost(PLACES * STRIDE);
        this.words = memory.segment();
        try {
            mirrored.mirror(this);
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
    }

    /** The device's. */
    long address() {
        return memory.address();
    }

    /**
     * The version, which changes when something is removed: a kernel that knows an entry of this one need not look for
     * it again. 0 if there is nothing. Removals wait until {@link #launched} says that the kernel is in its stream.
     */
    long launching() {
        if (mirrored.size() == 0) {
            return 0;
        }
        isLaunching = true;
        // Dekker: this and then the version; a removal stores the version, and then looks whether there is a launch.
        VarHandle.fullFence();
        return version.get();
    }

    void launched() {
        isLaunching = false;
    }

    /** A kernel sees the handle last, and looks for it once more when it has the rest. */
    @Override
    public void add(long handle, MemorySegment range) {
        long address = device.deviceAddress(range, range.byteSize());
        if (address == 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.name() + ": memory of a peer that kernels do "
                    + "not reach, " + range.byteSize() + " bytes");
        }
        long entry = find(handle, 0);
        if (entry < 0) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, device.name() + ": kernels know as much registered "
                    + "memory of one peer as they can; register fewer and larger pieces");
        }
        LONG.set(words, entry + ADDRESS, address);
        LONG.set(words, entry + BYTES, range.byteSize());
        LONG.setRelease(words, entry, handle);
    }

    /** What comes next there is stored behind it. */
    @Override
    public void remove(long handle) {
        long entry = find(handle, handle);
        if (entry >= 0) {
            LONG.setRelease(words, entry, 0L);
            version.incrementAndGet();
            awaitLaunch();
        }
    }

    /** What is unmapped next waits for kernels in streams, and for no other. A stream takes so long at most. */
    private void awaitLaunch() {
        long begin = System.nanoTime();
        while (isLaunching && System.nanoTime() - begin < LONGEST_LAUNCH_NS) {
            Uninterruptibly.parkNanos(PAUSE_NS);
        }
    }

    /** The entry that has a handle among those where another may lie; -1 if none has. */
    private long find(long of, long wanted) {
        for (int i = 0; i < PROBES; i++) {
            long entry = Long.remainderUnsigned(of + i, PLACES) * STRIDE;
            if ((long) LONG.get(words, entry) == wanted) {
                return entry;
            }
        }
        return -1;
    }

    /** No kernel may run. Idempotent. */
    @Override
    public void close() {
        mirrored.forget(this);
        memory.close();
    }
}
