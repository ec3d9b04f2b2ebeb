/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.Direction;
import io.proxyrt.core.device.Copier;
import io.proxyrt.core.device.CopyList;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.RecvMem;

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
 *
 * <p>Where the receiver's words lie in memory that the CPU does not reach, the stream copies tail behind the data, from
 * {@link StepNumbers} or a word for each slot in this end's control memory; no kernel then waits for the proxy to see
 * that a copy is done.
 */
public final class CopyEngine implements AutoCloseable {
    /** The absolute step after the last op. */
    long step;

    private final Device device;
    private final Direction direction;
    private final DeviceMemory fifo;
    private final DeviceMemory control;
    private final RecvMem kernelWords;
    private final CopyLane lane;
    private final Copier copier;
    private final long[] sizes = new long[DeviceConnection.STEPS];
    /** By slot: in which of the lane's flushes its slice is copied; 0 if the CPU did. */
    private final long[] flushes = new long[DeviceConnection.STEPS];
    private final long stepBytes;
    private final long cpuBytes;
    /** With copies of data or of tails; before anything is freed it has to be done. */
    private volatile long lastFlush;
    private long tailSeen;
    private long tailFlush;
    private int tailIndex;
    private DeviceMemory source;
    private long sourceOffset;
    private DeviceMemory target;
    private long targetOffset;
    private RecvMem in;
    private RecvMem out;
    /** The receiver's words, if a stream stores them; then there is no {@link #out}. */
    private DeviceMemory farWords;
    private StepNumbers numbers;
    private long farWordsOffset;
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
     * @param lane         for the peer, stays its owner's
     * @param copier       of the progress thread
     * @param direction    seen from this end
     * @param simpleBytes  of all slots
     * @param cpuCopyBytes up to which size the progress thread copies by itself, if the CPU reaches the device's memory
     */
    CopyEngine(Device device, CopyLane lane, Copier copier, Direction direction, long simpleBytes,
            long cpuCopyBytes) {
        this.device = device;
        this.direction = direction;
        this.lane = lane;
        this.copier = copier;
        this.stepBytes = simpleBytes / DeviceConnection.STEPS;
        try (Owned owned = new Owned()) {
            fifo = owned.add(device.allocate(simpleBytes));
            control = owned.add(device.allocateHost(RecvMem.WORDS_BYTES + DeviceConnection.STEPS * Long.BYTES));
            owned.release();
        }
        cpuBytes = fifo.isHostAccessible() ? cpuCopyBytes : 0;
        kernelWords = new RecvMem(control.segment());
        kernelWords.reset(RecvMem.MODE_NORMAL);
    }

    /**
     * Before the progress thread sees it. The device's memory that it takes for it is the engine's.
     *
     * @param slots       the other side of the copies
     * @param offset      where they begin
     * @param words       memory with the words that belong to them, see {@link RecvMem}
     * @param wordsOffset where these begin
     * @param isForProxy  whether a proxy reads them, which has to be told sizes; kernels know them, and the line in
     *                    which a size lies would go from CPU to CPU for nothing
     * @return bytes of that memory
     */
    long connect(DeviceMemory slots, long offset, DeviceMemory words, long wordsOffset, boolean isForProxy) {
        tellsSize = isForProxy;
        boolean isSend = direction == Direction.SEND;
        source = isSend ? fifo : slots;
        sourceOffset = isSend ? 0 : offset;
        target = isSend ? slots : fifo;
        targetOffset = isSend ? offset : 0;
        if (words.isHostAccessible()) {
            RecvMem recvMem = new RecvMem(words.segment().asSlice(wordsOffset, RecvMem.WORDS_BYTES));
            in = isSend ? kernelWords : recvMem;
            out = isSend ? recvMem : kernelWords;
        } else {
            in = kernelWords;
            farWords = words;
            farWordsOffset = wordsOffset;
            if (numbers == null) {
                numbers = new StepNumbers(device);
                return StepNumbers.BYTES;
            }
        }
        return 0;
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
        if (tailSeen <= absoluteStep) {
            // Pairs with the release store after size and data were written. Each look has the line come to this CPU.
            tailSeen = in.tail();
        }
        return tailSeen > absoluteStep ? in.size(slot(absoluteStep)) : RecvMem.EMPTY;
    }

    /**
     * Begins to copy a slice, or copies it.
     *
     * @param bytes    at most {@link #capacity}
     * @param nextStep the step after it
     * @return 1 if it did, 0 if there is no room for it now, a negated result on failure
     */
    int copy(long absoluteStep, long bytes, long nextStep) {
        assert nextStep > absoluteStep : absoluteStep;
        int slot = slot(absoluteStep);
        long flush = 0;
        if (farWords != null || bytes > cpuBytes) {
            control.segment().set(JAVA_LONG, tailWord(slot), nextStep);
            flush = lane.add(this, slot, bytes);
            if (flush <= 0) {
                return (int) flush;
            }
            lastFlush = farWords == null ? flush : flush + 1;
        } else if (bytes > 0) {
            long offset = slot * stepBytes;
            copier.copy(source.segment(), sourceOffset + offset, target.segment(), targetOffset + offset, bytes);
        }
        flushes[slot] = flush;
        sizes[slot] = bytes;
        return 1;
    }

    /** The lane's, as {@link #addTail}. */
    void addCopy(CopyList copies, int slot, long bytes) {
        long offset = slot * stepBytes;
        copies.add(target, targetOffset + offset, source, sourceOffset + offset, bytes);
    }

    /** The last of a flush only, for copies of a list come in any order. */
    void addTail(CopyList copies, int slot, long flush, long completed) {
        if (farWords == null) {
            return;
        }
        long tail = control.segment().get(JAVA_LONG, tailWord(slot));
        long near = numbers.offset(tail, flush);
        DeviceMemory from = near < 0 ? control : numbers.memory();
        long fromOffset = near < 0 ? tailWord(slot) : near;
        if (tailFlush == flush) {
            copies.moveSource(tailIndex, from, fromOffset);
        } else {
            tailFlush = flush;
            tailIndex = copies.add(farWords, farWordsOffset + RecvMem.TAIL, from, fromOffset, Long.BYTES);
        }
        numbers.load(copies, tail, flush, completed);
    }

    private static long tailWord(int slot) {
        return RecvMem.WORDS_BYTES + slot * (long) Long.BYTES;
    }

    /** Whether a slice is copied: 1, 0, or a negated result. */
    int isCopied(long absoluteStep) {
        return lane.isDone(flushes[slot(absoluteStep)], farWords != null);
    }

    /**
     * Tells the next one of a slice that is copied, unless the stream does: stamp, size if it wants to know, then tail.
     * The stamp is still there: a slot is not written before the receiving kernel has read its slice.
     */
    void publish(long absoluteStep, long nextStep) {
        if (farWords != null) {
            return;
        }
        int slot = slot(absoluteStep);
        out.stamp(slot, in.stamp(slot));
        if (tellsSize) {
            out.size(slot, sizes[slot]);
        }
        // Pairs with the acquire load of tail: who sees it sees the copied data.
        out.tail(nextStep);
    }

    /** Why the stream failed. */
    String failure() {
        return lane.failure();
    }

    private static int slot(long absoluteStep) {
        return (int) (absoluteStep % DeviceConnection.STEPS);
    }

    /** Waits for the copies that are under way. The progress thread has let go of it. */
    @Override
    public void close() {
        try (Owned owned = new Owned()) {
            owned.add(control);
            owned.add(fifo);
            owned.add(numbers);
            owned.add(() -> lane.await(lastFlush));
        }
    }
}
