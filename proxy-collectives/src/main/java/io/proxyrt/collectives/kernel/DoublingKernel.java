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
 * One launch of a small all-reduce by recursive doubling: in round k a rank exchanges all it has with rank xor 2ᵏ,
 * and both reduce it. log₂ n rounds instead of a ring's 2(n - 1), with n log₂ n times the data. Reductions are
 * commutative, so all ranks get the same to the last bit, but for which of two NaNs it is. The data fit a slot. Each
 * pair uses the protocol that is best for its connections.
 *
 * <p>If the number of ranks is no power of two, as many as there are too many are folded: each gives its input to
 * another rank before the first round, and gets the result after the last.
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
    private boolean isFolded;
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
     * @param sends    to whom the input goes, and after each receive what there is then; null where that stays here
     * @param recvs    by round, from whom
     * @param isFolded whether what comes in is the result
     */
    public void prepare(Port[] sends, Port[] recvs, boolean isFolded) {
        assert sends.length == recvs.length + 1 : sends.length;
        this.sends = sends;
        this.recvs = recvs;
        this.isFolded = isFolded;
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
        while (!isDone() && step()) {
            moved++;
        }
        return moved;
    }

    /** Also the send behind the last round is. */
    @Override
    public boolean isDone() {
        return round == sends.length;
    }

    @Override
    public ProxyException whyHopeless() {
        if (!isStarted || isDone()) {
            return null;
        }
        Primitives from = from();
        Primitives to = to();
        ProxyException why = from != null && !from.isReceived(work.bytes()) ? from.whyNoSteps() : null;
        return why == null && to != null && !to.hasCredit() ? to.send.whyNoCredit() : why;
    }

    /** What the next step receives from; null if nothing. */
    private Primitives from() {
        return isSent && round < recvs.length ? recvs[round].primitives(work.bytes()) : null;
    }

    /** What the next step sends to; null if nothing. All rounds but the last send what they have got. */
    private Primitives to() {
        int next = !isSent ? 0 : round < recvs.length ? round + 1 : round;
        boolean isSending = next < recvs.length || round == recvs.length;
        return isSending && sends[next] != null ? sends[next].primitives(work.bytes()) : null;
    }

    @Override
    public String toString() {
        return work + ", by doubling: " + (isStarted ? awaited() : "has not begun");
    }

    private String awaited() {
        Primitives to = to();
        Primitives from = from();
        String what = from == null ? Primitives.MOVES : from.awaited(true, false, work.bytes());
        return what.equals(Primitives.MOVES) && to != null ? to.awaited(false, true, work.bytes()) : what;
    }

    @Override
    public void onRetired(boolean isDropped) {
        work.clear();
        own = MemorySegment.NULL;
    }

    private void start() {
        isStarted = true;
        for (Port send : sends) {
            if (send != null) {
                start(send, false);
            }
        }
        for (Port recv : recvs) {
            start(recv, true);
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

    /** A send, or the end of a round and the beginning of the next, if it can be done now. */
    private boolean step() {
        Primitives from = from();
        if (from != null && !from.isReceived(work.bytes())) {
            return false;
        }
        Primitives to = to();
        if (to != null && !to.hasCredit()) {
            return false;
        }
        if (from == null) {
            send(to);
        } else if (round < recvs.length - 1) {
            passOn(from, to);
        } else {
            finish(from);
        }
        return true;
    }

    /** Before the first round the input, behind the last the result. */
    private void send(Primitives to) {
        if (to != null && !isSent) {
            to.send(own, 0, work.bytes());
        } else if (to != null) {
            to.send(work.recvBuffer(), 0, work.bytes());
        }
        round += isSent ? 1 : 0;
        isSent = true;
    }

    private void passOn(Primitives from, Primitives to) {
        if (to.keepsData()) {
            reduceInto(from, to.sendSlots, to.sendSlot());
            to.postSend(work.bytes());
        } else {
            reduceInto(from, sum.of(work.bytes()), 0);
            to.send(own, 0, work.bytes());
        }
        round++;
    }

    private void reduceInto(Primitives from, MemorySegment target, long offset) {
        from.recvReduce(reduction, own, ownOffset, target, offset, count());
        own = target;
        ownOffset = offset;
    }

    private void finish(Primitives from) {
        if (isFolded) {
            from.recv(work.recvBuffer(), 0, work.bytes());
        } else {
            from.recvReduceCopy(reduction, own, work.recvBuffer(), ownOffset, 0, count());
        }
        round++;
    }

    private long count() {
        return work.bytes() / work.type().sizeBytes();
    }
}
