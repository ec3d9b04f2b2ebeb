/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.reduction.Reductions;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * One launch of a small all-reduce by recursive doubling: in round k a rank exchanges all it has with rank xor 2ᵏ,
 * and both reduce it. log₂ n rounds instead of a ring's 2(n - 1), with n log₂ n times the data. Reductions are
 * commutative, so all ranks get the same to the last bit, but for which of two NaNs it is. The data fit a slot. Each
 * pair uses the protocol that is best for its connections.
 *
 * <p>If the number of ranks is no power of two, as many as there are too many are folded: each gives its input to
 * another rank before the first round, and gets the result after the last.
 */
public final class DoublingKernel extends RoundsKernel {
    private final StepReduction reduction;
    /** For an input that is multiplied first, and for rounds whose slots do not keep what they send. */
    private final Scratch sum;
    private Port[] sends;
    private Port[] recvs;
    private int stamp;
    private boolean isFolded;
    /** What this rank has so far: its input, then what it sent last. */
    private MemorySegment own = MemorySegment.NULL;
    private long ownOffset;

    private DoublingKernel(int nRanks, Reductions reductions, Scratch sum) {
        super(nRanks);
        this.reduction = new StepReduction(reductions);
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
     * Sets the kernel up; the launching thread, before the launch.
     *
     * @param to       to whom the input goes, null if it stays here, and after each receive but the last what there is
     *                 then; one more if also the result goes on
     * @param from     by round, from whom
     * @param isResult whether what comes in is the result: this rank is folded
     */
    public void prepare(Port[] to, Port[] from, boolean isResult) {
        assert to.length - from.length == (to[0] == null ? 1 : 0) : to.length;
        sends = to;
        recvs = from;
        isFolded = isResult;
        reduction.prepare(work);
        stamp = work.stamp();
        own = work.sendBuffer();
        ownOffset = 0;
        begin(to.length);
    }

    @Override
    public void onRetired(boolean isDropped) {
        work.clear();
        own = MemorySegment.NULL;
    }

    @Override
    void start() {
        for (Port send : sends) {
            if (send != null) {
                send.start(send.protocol(bytes()), stamp);
            }
        }
        for (Port recv : recvs) {
            recv.start(recv.protocol(bytes()), stamp);
        }
        reduction.begin();
        if (reduction.isScaling()) {
            MemorySegment scaled = sum.of(bytes());
            reduction.scale(own, 0, scaled, 0, count());
            own = scaled;
        }
    }

    @Override
    boolean step() {
        if (!isSent) {
            isSent = sends[0] == null || send(sends[0], own);
            return isSent;
        }
        boolean isOver = round < recvs.length - 1 ? passOn()
                : round < recvs.length ? finish() : send(sends[round], work.recvBuffer());
        round += isOver ? 1 : 0;
        return isOver;
    }

    private boolean send(Port port, MemorySegment from) {
        Primitives to = port.primitives(bytes());
        if (!to.hasCredit()) {
            return false;
        }
        to.send(from, 0, bytes());
        return true;
    }

    private boolean passOn() {
        Primitives from = recvs[round].primitives(bytes());
        Primitives to = sends[round + 1].primitives(bytes());
        if (!from.isReceived(bytes()) || !to.hasCredit()) {
            return false;
        }
        if (to.keepsData()) {
            reduceInto(from, to.sendSlots, to.sendSlot());
            to.postSend(bytes());
        } else {
            reduceInto(from, sum.of(bytes()), 0);
            to.send(own, 0, bytes());
        }
        return true;
    }

    private void reduceInto(Primitives from, MemorySegment target, long offset) {
        from.recvReduce(reduction.combining(), own, ownOffset, target, offset, count());
        own = target;
        ownOffset = offset;
    }

    private boolean finish() {
        Primitives from = recvs[round].primitives(bytes());
        if (!from.isReceived(bytes())) {
            return false;
        }
        if (isFolded) {
            from.recv(work.recvBuffer(), 0, bytes());
        } else {
            from.recvReduceCopy(reduction.combining(), own, work.recvBuffer(), ownOffset, 0, count());
        }
        return true;
    }

    @Override
    Primitives from() {
        return isSent && round < recvs.length ? recvs[round].primitives(bytes()) : null;
    }

    /** All receives but the last go together with a send. */
    @Override
    Primitives to() {
        Port to = !isSent ? sends[0] : round == recvs.length - 1 ? null : sends[Math.min(round + 1, recvs.length)];
        return to == null ? null : to.primitives(bytes());
    }

    @Override
    long bytes() {
        return work.bytes();
    }

    @Override
    String how() {
        return "by doubling";
    }

    private long count() {
        return work.bytes() / work.type().sizeBytes();
    }
}
