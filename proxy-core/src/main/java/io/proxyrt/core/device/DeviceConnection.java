/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;

/**
 * What a kernel knows of a connection: RCCL's {@code ncclConnInfo}. Its step counter persists from kernel to kernel and
 * belongs to the thread that runs them.
 */
public final class DeviceConnection {
    /** Slots of a connection: {@code NCCL_STEPS}. */
    public static final int STEPS = 8;
    /** Room that {@link #controlOffset} takes, in bytes. */
    public static final long CONTROL_ROOM = 4096;
    private static final long CONTROL_STRIDE = 128;

    private final SendMem sendMem;
    private final RecvMem recvMem;
    private final MemorySegment buffer;
    private final long stepBytes;
    private long step;

    /**
     * A connection as the Connect response describes it.
     *
     * @param sendMem its head
     * @param recvMem its tail and connFifo
     * @param buffer  Simple buffer of {@link #STEPS} slots
     */
    public DeviceConnection(SendMem sendMem, RecvMem recvMem, MemorySegment buffer) {
        this.sendMem = sendMem;
        this.recvMem = recvMem;
        this.buffer = buffer;
        this.stepBytes = buffer.byteSize() / STEPS;
    }

    /**
     * The page with head.
     *
     * @return never null
     */
    public SendMem sendMem() {
        return sendMem;
    }

    /**
     * The page with tail and connFifo.
     *
     * @return never null
     */
    public RecvMem recvMem() {
        return recvMem;
    }

    /**
     * The Simple buffer.
     *
     * @return slot s at s · {@link #stepBytes()}
     */
    public MemorySegment buffer() {
        return buffer;
    }

    /**
     * The size of a slot.
     *
     * @return bytes
     */
    public long stepBytes() {
        return stepBytes;
    }

    /**
     * The next absolute step; the kernels' thread only.
     *
     * @return counts from 0
     */
    public long step() {
        return step;
    }

    /**
     * Sets the next absolute step; the kernels' thread only.
     *
     * @param step absolute
     */
    public void step(long step) {
        this.step = step;
    }

    /**
     * Where in its memory the control words of a connection had best begin. Memory comes in pages, so that without an
     * offset the same word of every connection would fall into the same few sets of the cache, and a pass over many
     * connections would miss it each time.
     *
     * @param connection its id
     * @return a multiple of 128, less than {@link #CONTROL_ROOM}
     */
    public static long controlOffset(long connection) {
        return connection * CONTROL_STRIDE & CONTROL_ROOM - 1;
    }
}
