/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.reduction.Reductions;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * One launch of a small all-gather or reduce-scatter in log₂ n rounds, by any number of ranks: Bruck's algorithm, and
 * the same backwards. What a rank has is in scratch memory, its own part first, so that the parts of a round are in
 * one piece; they fit a slot. An all-gather's round k gets from rank + 2ᵏ what that has; a reduce-scatter's, from the
 * last to the first, gives rank + 2ᵏ the sums of its parts.
 */
public final class LogKernel extends RoundsKernel {
    private final int rank;
    private final int nRanks;
    private final StepReduction reduction;
    private final Scratch scratch;
    private LogRound[] steps;
    /** The parts, this rank's first. */
    private MemorySegment parts = MemorySegment.NULL;

    private LogKernel(int rank, int nRanks, Reductions reductions, Scratch scratch) {
        super(nRanks);
        this.rank = rank;
        this.nRanks = nRanks;
        this.reduction = new StepReduction(reductions);
        this.scratch = scratch;
    }

    /**
     * Kernels that take turns.
     *
     * @param rank   of this device
     * @param nRanks in all
     * @return makes kernels for one stream that were not prepared
     */
    public static Supplier<LogKernel> source(int rank, int nRanks) {
        Reductions reductions = new Reductions(nRanks);
        Scratch scratch = new Scratch();
        return () -> new LogKernel(rank, nRanks, reductions, scratch);
    }

    /**
     * Sets the kernel up; the launching thread, before the launch.
     *
     * @param inOrder the rounds
     */
    public void prepare(LogRound[] inOrder) {
        steps = inOrder;
        reduction.prepare(work);
        begin(inOrder.length);
    }

    private boolean isReducing() {
        return reduction.combining() != null;
    }

    @Override
    public void onRetired(boolean isDropped) {
        work.clear();
        parts = MemorySegment.NULL;
    }

    @Override
    void start() {
        for (LogRound each : steps) {
            start(each.send(), each.parts() * work.bytes());
            start(each.recv(), each.parts() * work.bytes());
        }
        parts = scratch.of(nRanks * work.bytes());
        if (!isReducing()) {
            MemorySegment.copy(work.sendBuffer(), 0, parts, 0, work.bytes());
            return;
        }
        reduction.begin();
        copyIn(rank * work.bytes(), 0, (nRanks - rank) * work.bytes());
        copyIn(0, (nRanks - rank) * work.bytes(), rank * work.bytes());
    }

    private void start(Port port, long bytes) {
        port.start(port.protocol(bytes), work.stamp());
    }

    /** This rank's input, as it is to be reduced. */
    private void copyIn(long from, long to, long length) {
        if (reduction.isScaling()) {
            reduction.scale(work.sendBuffer(), from, parts, to, count(length));
        } else {
            MemorySegment.copy(work.sendBuffer(), from, parts, to, length);
        }
    }

    @Override
    boolean step() {
        if (!isSent) {
            return send(steps[round].send().primitives(bytes()));
        }
        Primitives from = steps[round].recv().primitives(bytes());
        if (!from.isReceived(bytes())) {
            return false;
        }
        receive(from, steps[round].firstRecv() * work.bytes(), bytes());
        isSent = false;
        round++;
        if (isDone() && !isReducing()) {
            copyOut(0, rank * work.bytes(), (nRanks - rank) * work.bytes());
            copyOut((nRanks - rank) * work.bytes(), 0, rank * work.bytes());
        }
        return true;
    }

    private boolean send(Primitives to) {
        if (!to.hasCredit()) {
            return false;
        }
        to.send(parts, steps[round].firstSent() * work.bytes(), bytes());
        isSent = true;
        return true;
    }

    private void receive(Primitives from, long at, long length) {
        if (!isReducing()) {
            from.recv(parts, at, length);
        } else if (round < rounds() - 1) {
            from.recvReduce(reduction.combining(), parts, at, parts, at, count(length));
        } else {
            from.recvReduceCopy(reduction.combining(), parts, work.recvBuffer(), at, 0, count(length));
        }
    }

    @Override
    Primitives from() {
        return isSent ? steps[round].recv().primitives(bytes()) : null;
    }

    @Override
    Primitives to() {
        return isSent ? null : steps[round].send().primitives(bytes());
    }

    @Override
    long bytes() {
        return steps[round].parts() * work.bytes();
    }

    @Override
    String how() {
        return "in " + rounds() + " rounds";
    }

    private long count(long length) {
        return length / work.type().sizeBytes();
    }

    private void copyOut(long from, long to, long length) {
        MemorySegment.copy(parts, from, work.recvBuffer(), to, length);
    }
}
