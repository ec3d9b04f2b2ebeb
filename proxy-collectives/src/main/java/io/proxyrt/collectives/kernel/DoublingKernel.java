/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.reduction.Reduction;
import io.proxyrt.core.reduction.Reductions;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * One launch of a small all-reduce by recursive doubling: in round k a rank exchanges all it has with rank xor 2ᵏ, and
 * both reduce it. log₂ n rounds instead of a ring's 2(n - 1), with n log₂ n times the data. Reductions are commutative,
 * so all ranks get the same to the last bit, but for which of two NaNs it is. The number of ranks is a power of two,
 * and the data fit a slot. Each pair uses the protocol that is best for its connections.
 */
public final class DoublingKernel implements HostKernel {
    private final CollectiveWork work;
    private final Reductions reductions;
    private Port[] sends;
    private Port[] recvs;
    private Reduction reduction;
    /** Of what comes first of this rank's input; null if that is nothing. */
    private Reduction scaling;
    /** For an input that is multiplied first, and for rounds whose slots do not keep what they send. */
    private final Scratch sum;
    /** What this rank has so far: its input, then what it sent last. */
    private MemorySegment own = MemorySegment.NULL;
    private long ownOffset;
    private int round;
    private int stamp;
    private boolean isStarted;
    private boolean isSent;

    private DoublingKernel(int nRanks, Reductions reductions, Scratch sum) {
        this.work = new CollectiveWork(nRanks);
        this.reductions = reductions;
        this.sum = sum;
    }

    /**
     * Kernels that take turns.
     *
     * @param nRanks what averages are divided by
     * @return makes kernels for one stream that were not prepared
     */
    public static Supplier<DoublingKernel> source(int nRanks) {
        Reductions reductions = new Reductions(nRanks);
        Scratch sum = new Scratch();
        return () -> new DoublingKernel(nRanks, reductions, sum);
    }

    /**
     * What the next launch shall do; to be filled by the launching thread.
     *
     * @return this kernel's own
     */
    public CollectiveWork work() {
        return work;
    }

    /**
     * Sets the kernel up; the launching thread, before the launch.
     *
     * @param sends by round, to the partners
     * @param recvs by round, from the partners
     */
    public void prepare(Port[] sends, Port[] recvs) {
        assert sends.length == recvs.length : sends.length;
        this.sends = sends;
        this.recvs = recvs;
        this.reduction = reductions.get(work.type(), Reductions.scaled(work.op()));
        Reduction asked = reductions.get(work.type(), work.op());
        this.scaling = asked.isScaling() ? asked : null;
        this.stamp = work.stamp();
        this.own = work.sendBuffer();
        this.ownOffset = 0;
        round = 0;
        isStarted = false;
        isSent = false;
    }

    @Override
    public int doWork() {
        if (!isStarted) {
            start();
        }
        int moved = 0;
        while (round < sends.length && step()) {
            moved++;
        }
        return moved;
    }

    @Override
    public boolean isDone() {
        return round == sends.length;
    }

    /** The first send, and with each round but the last the next one, takes credit; all rounds take a receive. */
    @Override
    public ProxyException whyHopeless() {
        if (!isStarted || isDone()) {
            return null;
        }
        Primitives from = isSent ? recvs[round].primitives(work.bytes()) : null;
        Primitives to = to();
        ProxyException why = from != null && !from.isReceived(work.bytes()) ? from.whyNoSteps() : null;
        return why == null && to != null && !to.hasCredit() ? to.send.whyNoCredit() : why;
    }

    /** What it sends to next; null in the last round. */
    private Primitives to() {
        int next = isSent ? round + 1 : 0;
        return next < sends.length ? sends[next].primitives(work.bytes()) : null;
    }

    @Override
    public String toString() {
        return work + ", by doubling: " + (isStarted ? awaited() : "has not begun");
    }

    private String awaited() {
        Primitives to = to();
        String from = isSent ? recvs[round].primitives(work.bytes()).awaited(true, false, work.bytes())
                : Primitives.MOVES;
        return from.equals(Primitives.MOVES) && to != null ? to.awaited(false, true, work.bytes()) : from;
    }

    @Override
    public void onRetired(boolean isDropped) {
        work.clear();
        own = MemorySegment.NULL;
    }

    private void start() {
        isStarted = true;
        for (int i = 0; i < sends.length; i++) {
            start(sends[i], false);
            start(recvs[i], true);
        }
        reduction.begin(Reductions.scaled(work.op()));
        if (scaling != null) {
            scale();
        }
    }

    private void scale() {
        MemorySegment scaled = sum.of(work.bytes());
        scaling.begin(work.op()).scale(own, 0, scaled, 0, count());
        own = scaled;
    }

    private void start(Port port, boolean isRecv) {
        port.simple().inPlace(false, false, null);
        port.primitives(work.bytes()).stamp(stamp);
        port.primitives(work.bytes()).start(1, 1, isRecv, !isRecv);
    }

    /** The first send, or the end of a round and the beginning of the next, if it can be done now. */
    private boolean step() {
        if (!isSent) {
            return send();
        }
        return round < sends.length - 1 ? passOn() : finish();
    }

    private boolean send() {
        Primitives to = sends[0].primitives(work.bytes());
        if (!to.hasCredit()) {
            return false;
        }
        to.send(own, 0, work.bytes());
        isSent = true;
        return true;
    }

    private boolean passOn() {
        Primitives from = recvs[round].primitives(work.bytes());
        Primitives to = sends[round + 1].primitives(work.bytes());
        if (!from.isReceived(work.bytes()) || !to.hasCredit()) {
            return false;
        }
        if (to.keepsData()) {
            reduceInto(from, to.sendSlots, to.sendSlot());
            to.postSend(work.bytes());
        } else {
            reduceInto(from, sum.of(work.bytes()), 0);
            to.send(own, 0, work.bytes());
        }
        round++;
        return true;
    }

    private void reduceInto(Primitives from, MemorySegment target, long offset) {
        from.recvReduce(reduction, own, ownOffset, target, offset, count());
        own = target;
        ownOffset = offset;
    }

    private boolean finish() {
        Primitives from = recvs[round].primitives(work.bytes());
        if (!from.isReceived(work.bytes())) {
            return false;
        }
        from.recvReduceCopy(reduction, own, work.recvBuffer(), ownOffset, 0, count());
        round++;
        return true;
    }

    private long count() {
        return work.bytes() / work.type().sizeBytes();
    }
}
