/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.transport.net.spi.NetMemory;
import java.util.Arrays;

/**
 * Where the steps of one protocol lie, and when a sending kernel gets the credit to write one. Progress thread.
 *
 * <p>A dedicated connection begins with credit for all eight slots, and gets one back when the network is done with it.
 * A shared one begins with none and gets one with each step that is posted, for its slot has to be found first.
 */
abstract class NetSlots {
    private final SendMem sendMem;
    private final boolean isCreditedAtPost;

    private NetSlots(SendMem sendMem, boolean isCreditedAtPost) {
        this.sendMem = sendMem;
        this.isCreditedAtPost = isCreditedAtPost;
    }

    /** Finds room for the slice that begins in a slot; returns false if there is none now. May be asked again. */
    abstract boolean take(int slot);

    /** The slice's room is free again. */
    abstract void give(int slot);

    abstract NetMemory memory();

    /** Where the slice lies in {@link #memory()}. */
    abstract long offset(int slot);

    /** Most bytes of a slice. */
    abstract long capacity(int sliceSteps);

    /** A send was posted up to an absolute step. */
    final void posted(long step) {
        if (isCreditedAtPost) {
            sendMem.head(step - DeviceConnection.STEPS);
        }
    }

    /** The network is done with a send up to an absolute step. */
    final void completed(long step) {
        if (!isCreditedAtPost) {
            sendMem.head(step);
        }
    }

    /** Eight slots of the connection's own. */
    static final class Own extends NetSlots {
        private final NetMemory memory;
        private final long base;
        private final long stepBytes;

        Own(SendMem sendMem, boolean isShared, NetMemory memory, long base, long stepBytes) {
            super(sendMem, isShared);
            this.memory = memory;
            this.base = base;
            this.stepBytes = stepBytes;
        }

        @Override
        boolean take(int slot) {
            return true;
        }

        @Override
        void give(int slot) {
            // It is the slot's for good.
        }

        @Override
        NetMemory memory() {
            return memory;
        }

        @Override
        long offset(int slot) {
            return base + slot * stepBytes;
        }

        @Override
        long capacity(int sliceSteps) {
            return stepBytes * sliceSteps;
        }
    }

    /** Slots of a pool: a slice takes one, and connFifo tells the kernel where it is. */
    static final class Pooled extends NetSlots {
        private static final int NONE = -1;

        private final RecvMem recvMem;
        private final SharedPool pool;
        private final int channel;
        private final NetMemory memory;
        private final long base;
        private final int[] places = new int[DeviceConnection.STEPS];

        Pooled(SendMem sendMem, RecvMem recvMem, SharedPool pool, int channel, NetMemory memory, long base) {
            super(sendMem, true);
            this.recvMem = recvMem;
            this.pool = pool;
            this.channel = channel;
            this.memory = memory;
            this.base = base;
            Arrays.fill(places, NONE);
        }

        @Override
        boolean take(int slot) {
            if (places[slot] != NONE) {
                return true;
            }
            int place = pool.take(channel);
            if (place == NONE) {
                return false;
            }
            places[slot] = place;
            // The kernel sees it with head, if it sends, or with tail.
            recvMem.place(slot, RecvMem.MODE_OFFSET, (int) pool.offset(channel, place), 0);
            return true;
        }

        @Override
        void give(int slot) {
            if (places[slot] != NONE) {
                pool.give(channel, places[slot]);
                places[slot] = NONE;
            }
        }

        @Override
        NetMemory memory() {
            return memory;
        }

        @Override
        long offset(int slot) {
            return base + pool.offset(channel, places[slot]);
        }

        @Override
        long capacity(int sliceSteps) {
            return pool.slotBytes();
        }

        SharedPool pool() {
            return pool;
        }

        int channel() {
            return channel;
        }

        /** What the connection leaves behind when an op of it failed; a bit for each slot. */
        int held() {
            int held = 0;
            for (int place : places) {
                held |= place == NONE ? 0 : 1 << place;
            }
            return held;
        }
    }
}
