/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.device.DeviceConnection;
import java.util.Arrays;

/**
 * Whose turn it is at each slot of each group of channels: RCCL's {@code reqFifo}. The receive op gives a turn when the
 * slot's memory is free for what the network delivers; the send op carries out the call, and gives the turn back with
 * what came of it. The send op of a collective may be ahead of the receive op, or behind it: neither does more than its
 * turn allows. Progress thread.
 */
final class TurnTable {
    private static final int SLOTS = DeviceConnection.STEPS;

    private final boolean[] isSends;
    private final long[] words;

    TurnTable(int groups) {
        isSends = new boolean[groups * SLOTS];
        words = new long[groups * SLOTS];
    }

    /** Of a step that is relative to its op. */
    private static int index(int group, long step) {
        return group * SLOTS + (int) (step % SLOTS);
    }

    boolean isSends(int group, long step) {
        return isSends[index(group, step)];
    }

    /** The receive op is ready; tells the send op what it is. */
    void give(int group, long step, long signature) {
        int index = index(group, step);
        assert !isSends[index] : this;
        isSends[index] = true;
        words[index] = signature;
    }

    /** What the receive op said. */
    long signature(int group, long step) {
        assert isSends(group, step) : this;
        return words[index(group, step)];
    }

    /** The network is done; tells the receive op how much it delivered. */
    void giveBack(int group, long step, long bytes) {
        int index = index(group, step);
        assert isSends[index] : this;
        isSends[index] = false;
        words[index] = bytes;
    }

    /** What the send op said. */
    long bytes(int group, long step) {
        assert !isSends(group, step) : this;
        return words[index(group, step)];
    }

    @Override
    public String toString() {
        return "turns of sends " + Arrays.toString(isSends);
    }
}
