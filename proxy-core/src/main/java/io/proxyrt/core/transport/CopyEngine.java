/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.Direction;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.RecvMem;
import java.lang.foreign.MemorySegment;

/**
 * What a proxy needs to copy the Simple slots of a connection: on the sending side from the kernel's own buffer, the
 * FIFO, into slots nearer to the peer, on the receiving side from there into the FIFO. Made by the service thread; then
 * the progress thread's alone, until the connection is freed.
 *
 * <pre>
 *           control: tail, connFifo               recvMem: tail, connFifo              control: tail
 *   kernel ─────────────────────────▶ send proxy ─────────────────────▶ receive proxy ───────────────▶ kernel
 *            FIFO of the sender            slots                        FIFO of the receiver
 *   kernel ◀──────────────────────────────────── sendMem: head ──────────────────────────────────────  kernel
 * </pre>
 */
public final class CopyEngine implements AutoCloseable {
    /** The absolute step after the last op. */
    long step;

    private final Direction direction;
    private final DeviceMemory fifo;
    private final DeviceMemory control;
    private final RecvMem kernelWords;
    private final DeviceStream stream;
    private final DeviceEvent[] events = new DeviceEvent[DeviceConnection.STEPS];
    private final long[] sizes = new long[DeviceConnection.STEPS];
    private final boolean[] isOnStream = new boolean[DeviceConnection.STEPS];
    private final long stepBytes;
    private final long cpuBytes;
    /** Bytes of a slice whose copy is on the stream, but not its event; -1 if there is none. */
    private long unrecorded = -1;
    private DeviceMemory source;
    private long sourceOffset;
    private DeviceMemory target;
    private long targetOffset;
    private RecvMem in;
    private RecvMem out;
    private boolean tellsSize;

    /** The resources of a connection whose proxy copies. */
    public interface Holder {
        /**
         * What the progress thread uses.
         *
         * @return never null where ops are posted
         */
        CopyEngine engine();
    }

    /**
     * Takes what it needs of the device.
     *
     * @param device       of this end's kernel
     * @param name         of the stream's thread, if it has one
     * @param direction    seen from this end
     * @param simpleBytes  of all slots
     * @param cpuCopyBytes up to which size the progress thread copies by itself, if the CPU reaches the device's memory
     */
    public CopyEngine(Device device, String name, Direction direction, long simpleBytes, long cpuCopyBytes) {
        this.direction = direction;
        this.stepBytes = simpleBytes / DeviceConnection.STEPS;
        try (Owned owned = new Owned()) {
            fifo = owned.add(device.allocate(simpleBytes));
            control = owned.add(device.allocateHost(RecvMem.WORDS_BYTES));
            stream = owned.add(device.stream(name));
            for (int i = 0; i < events.length; i++) {
                events[i] = owned.add(device.event());
            }
            owned.release();
        }
        cpuBytes = fifo.isHostAccessible() ? cpuCopyBytes : 0;
        kernelWords = new RecvMem(control.segment());
        kernelWords.reset(RecvMem.MODE_NORMAL);
    }

    /**
     * Before the progress thread sees it.
     *
     * @param slots      the other side of the copies
     * @param offset     where they begin
     * @param recvMem    the words that belong to them
     * @param isForProxy whether a proxy reads them, which has to be told sizes; kernels know them, and the line in
     *                   which a size lies would go from CPU to CPU for nothing
     */
    public void connect(DeviceMemory slots, long offset, RecvMem recvMem, boolean isForProxy) {
        tellsSize = isForProxy;
        boolean isSend = direction == Direction.SEND;
        source = isSend ? fifo : slots;
        sourceOffset = isSend ? 0 : offset;
        target = isSend ? slots : fifo;
        targetOffset = isSend ? offset : 0;
        in = isSend ? kernelWords : recvMem;
        out = isSend ? recvMem : kernelWords;
    }

    /**
     * The kernel's slots.
     *
     * @return the engine's
     */
    public DeviceMemory fifo() {
        return fifo;
    }

    /**
     * The words that only this rank's kernel and its proxy use.
     *
     * @return the engine's, of the host
     */
    public DeviceMemory control() {
        return control;
    }

    /** Most bytes of a slice. */
    long capacity(int sliceSteps) {
        return stepBytes * sliceSteps;
    }

    /** The size of a slice that is there; {@link RecvMem#EMPTY} as long as it is not. */
    long arrived(long absoluteStep) {
        // tail pairs with the release store after size and data were written.
        return in.tail() > absoluteStep ? in.size(slot(absoluteStep)) : RecvMem.EMPTY;
    }

    /**
     * Begins to copy a slice, or copies it.
     *
     * @param bytes at most {@link #capacity}
     * @return 1 if it did, 0 if the stream is full, a negated result on failure
     */
    int copy(long absoluteStep, long bytes) {
        int slot = slot(absoluteStep);
        long offset = slot * stepBytes;
        // What a peer says twice need not be the same.
        long size = unrecorded < 0 ? bytes : unrecorded;
        boolean usesStream = size > cpuBytes && size > 0;
        if (usesStream) {
            int taken = submit(events[slot], offset, size);
            if (taken <= 0) {
                return taken;
            }
        } else if (size > 0) {
            MemorySegment.copy(source.segment(), sourceOffset + offset, target.segment(), targetOffset + offset, size);
        }
        isOnStream[slot] = usesStream;
        sizes[slot] = size;
        // Before the tail by which the other side learns of the slice, and so before the slot's next size.
        in.size(slot, RecvMem.EMPTY);
        return 1;
    }

    private int submit(DeviceEvent event, long offset, long bytes) {
        if (unrecorded < 0) {
            int taken = stream.copy(target, targetOffset + offset, source, sourceOffset + offset, bytes);
            if (taken <= 0) {
                return taken;
            }
            unrecorded = bytes;
        }
        int recorded = stream.record(event);
        if (recorded > 0) {
            unrecorded = -1;
        }
        return recorded;
    }

    /** Whether a slice is copied: 1, 0, or a negated result. */
    int isCopied(long absoluteStep) {
        int slot = slot(absoluteStep);
        return isOnStream[slot] ? events[slot].query() : 1;
    }

    /** Tells the next one of a slice that is copied: size, if it wants to know, then tail. */
    void publish(long absoluteStep, long nextStep) {
        if (tellsSize) {
            int slot = slot(absoluteStep);
            out.size(slot, sizes[slot]);
        }
        // Pairs with the acquire load of tail: who sees it sees the copied data.
        out.tail(nextStep);
    }

    /** Why the stream failed. */
    String failure() {
        return stream.failure();
    }

    private static int slot(long absoluteStep) {
        return (int) (absoluteStep % DeviceConnection.STEPS);
    }

    /** Waits for the copy that is under way. */
    @Override
    public void close() {
        try (Owned owned = new Owned()) {
            owned.add(control);
            owned.add(fifo);
            for (DeviceEvent event : events) {
                owned.add(event);
            }
            owned.add(stream);
        }
    }
}
