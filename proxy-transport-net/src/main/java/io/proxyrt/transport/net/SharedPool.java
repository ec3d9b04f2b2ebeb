/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.progress.AppendQueue;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.core.transport.PooledBuffer;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The Simple slots of all shared connections of one posting peer and direction: 16 for each channel. Slot s of channel
 * c lies at {@code slotBytes · (16 · c + s)}.
 *
 * <p>Which slots are free, the progress thread knows, in one word for each channel. A connection that failed may leave
 * slots to its network for as long as its comm lives, so they stay taken until the service thread has closed the comm
 * and hands them back, through a word of its own.
 */
final class SharedPool implements AutoCloseable {
    /** Slots of a channel: {@code NCCL_SHARED_STEPS}. */
    static final int SLOTS = 16;

    private static final int ALL = (1 << SLOTS) - 1;

    private final long slotBytes;
    private final MemoryAccount account;
    private final PooledBuffer buffer;
    private final AppendQueue[] queues;
    private final int[] taken;
    /** Taken by connections that failed. */
    private final int[] lost;
    private final AtomicIntegerArray handedBack;

    /**
     * Allocates, of the GPU's memory or of the host's. The pool may have no more than 4 GiB, for connFifo tells an
     * offset in 32 bits.
     */
    SharedPool(ConnectionMemory memory, boolean isOnDevice, MemoryAccount account, int channels, long slotBytes) {
        this.slotBytes = slotBytes;
        this.account = account;
        long bytes = channels * SLOTS * slotBytes;
        this.buffer = isOnDevice ? memory.deviceBuffers(bytes, account) : memory.buffers(bytes, account);
        account.add(MemoryUse.SHARED_POOL, bytes);
        this.queues = new AppendQueue[channels];
        this.taken = new int[channels];
        this.lost = new int[channels];
        this.handedBack = new AtomicIntegerArray(channels);
        for (int i = 0; i < channels; i++) {
            queues[i] = new AppendQueue();
        }
    }

    int channels() {
        return queues.length;
    }

    long slotBytes() {
        return slotBytes;
    }

    PooledBuffer buffer() {
        return buffer;
    }

    long bytes() {
        return channels() * SLOTS * slotBytes;
    }

    /** What orders the ops of a channel. */
    AppendQueue queue(int channel) {
        return queues[channel];
    }

    long offset(int channel, int slot) {
        return slotBytes * ((long) channel * SLOTS + slot);
    }

    /** Progress thread, when a group begins, and so none is under way: whatever is taken still is lost. */
    void begin(int channel) {
        taken[channel] &= ~handedBack.getAndSet(channel, 0);
        lost[channel] = taken[channel];
    }

    /** Slots that a group can have at all; progress thread. */
    int usable(int channel) {
        if (lost[channel] != 0 && handedBack.get(channel) != 0) {
            int back = handedBack.getAndSet(channel, 0);
            taken[channel] &= ~back;
            lost[channel] &= ~back;
        }
        assert (lost[channel] & ~taken[channel]) == 0 : channel;
        return SLOTS - Integer.bitCount(lost[channel]);
    }

    /** Takes a free slot; -1 if there is none. Progress thread. */
    int take(int channel) {
        int free = ~taken[channel] & ALL;
        if (free == 0) {
            return -1;
        }
        int slot = Integer.numberOfTrailingZeros(free);
        taken[channel] |= 1 << slot;
        return slot;
    }

    /** Undoes {@link #take}; progress thread. */
    void give(int channel, int slot) {
        assert (taken[channel] & 1 << slot) != 0 : slot;
        taken[channel] &= ~(1 << slot);
    }

    /** Gives the slots of a connection back that failed; service thread, when its comm is closed. */
    void handBack(int channel, int slots) {
        handedBack.accumulateAndGet(channel, slots, (old, more) -> old | more);
    }

    @Override
    public void close() {
        buffer.close();
        account.close();
    }
}
