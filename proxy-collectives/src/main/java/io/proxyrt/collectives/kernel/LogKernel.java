/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.reduction.Reduction;
import io.proxyrt.core.reduction.Reductions;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * One launch of a small all-gather or reduce-scatter in log₂ n rounds, by any number of ranks: Bruck's algorithm, and
 * the same backwards. What a rank has is in scratch memory, its own part first, so that the parts of a round are in
 * one piece; they fit a slot. An all-gather's round k gets from rank + 2ᵏ what that has; a reduce-scatter's, from the
 * last to the first, gives rank + 2ᵏ the sums of its parts.
 */
public final class LogKernel implements HostKernel {
    private final int rank;
    private final int nRanks;
    private final CollectiveWork work;
    private final Reductions reductions;
    private final Scratch scratch;
    private LogRound[] rounds;
    private Reduction reduction;
    /** Of what comes first of this rank's input; null if that is nothing. */
    private Reduction scaling;
    /** The parts, this rank's first. */
    private MemorySegment parts = MemorySegment.NULL;
    private int round;
    private boolean isStarted;
    private boolean isSent;

    private LogKernel(int rank, int nRanks, Reductions reductions, Scratch scratch) {
        this.rank = rank;
        this.nRanks = nRanks;
        this.work = new CollectiveWork(nRanks);
        this.reductions = reductions;
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

    /** {@return what the next launch shall do; to be filled by the launching thread} */
    public CollectiveWork work() {
        return work;
    }

    /**
     * Sets the kernel up; the launching thread, before the launch.
     *
     * @param steps in order
     */
    public void prepare(LogRound[] steps) {
        rounds = steps;
        reduction = isReducing() ? reductions.get(work.type(), Reductions.scaled(work.op())) : null;
        Reduction asked = isReducing() ? reductions.get(work.type(), work.op()) : null;
        scaling = asked != null && asked.isScaling() ? asked : null;
        round = 0;
        isStarted = false;
        isSent = false;
    }

    private boolean isReducing() {
        return work.function() == CollFunction.REDUCE_SCATTER;
    }

    @Override
    public int doWork() {
        if (!isStarted) {
            start();
        }
        int moved = 0;
        while (!isDone() && step()) {
            moved++;
        }
        return moved;
    }

    @Override
    public boolean isDone() {
        return round == rounds.length;
    }

    @Override
    public ProxyException whyHopeless() {
        if (!isStarted || isDone()) {
            return null;
        }
        if (!isSent) {
            return to().hasCredit() ? null : to().send.whyNoCredit();
        }
        return from().isReceived(bytes()) ? null : from().whyNoSteps();
    }

    @Override
    public String toString() {
        return work + ", in " + rounds.length + " rounds: " + (!isStarted ? "has not begun" : isDone()
                ? Primitives.MOVES : isSent ? from().awaited(true, false, bytes())
                : to().awaited(false, true, bytes()));
    }

    @Override
    public void onRetired(boolean isDropped) {
        work.clear();
        parts = MemorySegment.NULL;
    }

    private long bytes() {
        return rounds[round].parts() * work.bytes();
    }

    private Primitives to() {
        return rounds[round].send().primitives(bytes());
    }

    private Primitives from() {
        return rounds[round].recv().primitives(bytes());
    }

    private void start() {
        isStarted = true;
        for (LogRound each : rounds) {
            start(each.send(), each.parts() * work.bytes());
            start(each.recv(), each.parts() * work.bytes());
        }
        parts = scratch.of(nRanks * work.bytes());
        if (!isReducing()) {
            MemorySegment.copy(work.sendBuffer(), 0, parts, 0, work.bytes());
            return;
        }
        reduction.begin(Reductions.scaled(work.op()));
        if (scaling != null) {
            scaling.begin(work.op());
        }
        copyIn(rank * work.bytes(), 0, (nRanks - rank) * work.bytes());
        copyIn(0, (nRanks - rank) * work.bytes(), rank * work.bytes());
    }

    private void start(Port port, long bytes) {
        port.simple().inPlace(false, false, null);
        port.primitives(bytes).stamp(work.stamp());
        port.primitives(bytes).start(1, 1, !port.isSend(), port.isSend());
    }

    /** This rank's input, as it is to be reduced. */
    private void copyIn(long from, long to, long length) {
        if (length == 0) {
            return;
        }
        if (scaling == null) {
            MemorySegment.copy(work.sendBuffer(), from, parts, to, length);
        } else {
            scaling.scale(work.sendBuffer(), from, parts, to, length / work.type().sizeBytes());
        }
    }

    /** A round's send, or the rest of it, if that can be done now. */
    private boolean step() {
        if (!isSent) {
            return send();
        }
        if (!from().isReceived(bytes())) {
            return false;
        }
        receive(from(), rounds[round].firstRecv() * work.bytes(), bytes());
        isSent = false;
        round++;
        if (isDone() && !isReducing()) {
            copyOut(0, rank * work.bytes(), (nRanks - rank) * work.bytes());
            copyOut((nRanks - rank) * work.bytes(), 0, rank * work.bytes());
        }
        return true;
    }

    private boolean send() {
        if (!to().hasCredit()) {
            return false;
        }
        to().send(parts, rounds[round].firstSent() * work.bytes(), bytes());
        isSent = true;
        return true;
    }

    private void receive(Primitives from, long at, long length) {
        if (!isReducing()) {
            from.recv(parts, at, length);
        } else if (round < rounds.length - 1) {
            from.recvReduce(reduction, parts, at, parts, at, length / work.type().sizeBytes());
        } else {
            from.recvReduceCopy(reduction, parts, work.recvBuffer(), at, 0, length / work.type().sizeBytes());
        }
    }

    private void copyOut(long from, long to, long length) {
        MemorySegment.copy(parts, from, work.recvBuffer(), to, length);
    }
}
