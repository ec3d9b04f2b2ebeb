/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;

/**
 * One launch of a collective of few rounds, in which a connection carries one step each way at most. A round ends with
 * what comes in, or goes out last.
 */
abstract class RoundsKernel implements HostKernel {
    final CollectiveWork work;
    int round;
    boolean isSent;
    private int rounds;
    private boolean isStarted;

    RoundsKernel(int nRanks) {
        this.work = new CollectiveWork(nRanks);
    }

    /** {@return what the next launch shall do; to be filled by the launching thread} */
    public final CollectiveWork work() {
        return work;
    }

    /** Sets the kernel up for so many rounds. */
    final void begin(int count) {
        rounds = count;
        round = 0;
        isSent = false;
        isStarted = false;
    }

    final int rounds() {
        return rounds;
    }

    @Override
    public final int doWork() {
        if (!isStarted) {
            isStarted = true;
            start();
        }
        int moved = 0;
        while (round < rounds && step()) {
            moved++;
        }
        return moved;
    }

    /** Before the first step. */
    abstract void start();

    /** A send, or the end of a round, if it can be done now. */
    abstract boolean step();

    /** What the next step receives from; null if nothing. */
    abstract Primitives from();

    /** What the next step sends to; null if nothing. */
    abstract Primitives to();

    /** That either carries. */
    abstract long bytes();

    /** For people. */
    abstract String how();

    @Override
    public final boolean isDone() {
        return round == rounds;
    }

    @Override
    public final ProxyException whyHopeless() {
        if (!isStarted || isDone()) {
            return null;
        }
        Primitives from = from();
        Primitives to = to();
        ProxyException why = from != null && !from.isReceived(bytes()) ? from.whyNoSteps() : null;
        return why == null && to != null && !to.hasCredit() ? to.send.whyNoCredit() : why;
    }

    @Override
    public final String toString() {
        return work + ", " + how() + ": " + (!isStarted ? "has not begun" : isDone() ? Primitives.MOVES : awaited());
    }

    private String awaited() {
        Primitives from = from();
        Primitives to = to();
        String what = from == null ? Primitives.MOVES : from.awaited(true, false, bytes());
        return what.equals(Primitives.MOVES) && to != null ? to.awaited(false, true, bytes()) : what;
    }
}
