/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.device.Copier;
import io.proxyrt.core.reduction.Reduction;
import io.proxyrt.core.reduction.Reductions;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One lane's part of a collective that the network carries out: a cursor for what goes up, and one for what comes down.
 * The launching thread sets it up, the stream's thread runs it.
 */
final class CollNetBlock implements Block {
    private static final CollNetLane.Child[] NONE = {};
    private static final long DIVIDED_AT_ONCE = 16 * Reduction.BLOCK_BYTES;

    private final CollNetShape shape;
    private final CollNetGeometry geometry;
    private final CollNetLane lane;
    private final Reductions reductions;
    private final Zeros zeros;
    private final CollNetLane.Child[] served;
    private CollNetLane.Child[] upFrom = NONE;
    private CollNetLane.Child[] downTo = NONE;
    private CollFunction function;
    private MemorySegment sendBuffer;
    private MemorySegment recvBuffer;
    private ReduceOp op;
    private Reduction reduction;
    /** Of inputs that were multiplied before they came up. */
    private Reduction upReduction;
    private boolean isDivided;
    private boolean isRegistered;
    private long bytes;
    private int stamp;
    private int nsteps;
    private boolean isUp;
    private boolean isDown;
    private boolean isStarted;
    private int up;
    private int down;
    /** Bytes of registered memory. */
    private long divided;

    CollNetBlock(CollNetShape shape, CollNetGeometry geometry, CollNetLane lane, Reductions reductions, Zeros zeros) {
        this.shape = shape;
        this.geometry = geometry;
        this.lane = lane;
        this.reductions = reductions;
        this.zeros = zeros;
        this.served = Arrays.stream(lane.children).filter(child -> shape.serves(lane.head, child.local()))
                .toArray(CollNetLane.Child[]::new);
    }

    /** Sets the block up for a launch; the geometry is computed. */
    void prepare(CollectiveWork work, boolean isInPlace) {
        function = work.function();
        sendBuffer = work.sendBuffer();
        recvBuffer = work.recvBuffer();
        op = work.op();
        reduction = op == null ? null : reductions.get(work.type(), op);
        upReduction = op == null ? null : reductions.get(work.type(), Reductions.scaled(op));
        isDivided = op == RedOp.AVG && lane.isRoot;
        isRegistered = isInPlace;
        bytes = work.bytes();
        stamp = work.stamp();
        isUp = shape.goesUp(function, lane.head, shape.local());
        isDown = shape.goesDown(function, lane.head, shape.local());
        upFrom = function == CollFunction.ALL_GATHER ? served : lane.children;
        downTo = function == CollFunction.REDUCE_SCATTER ? served : lane.children;
        nsteps = !isInPlace ? geometry.nsteps(lane.head) : lane.channel == 0 ? 1 : 0;
        up = isUp ? 0 : nsteps;
        down = isDown ? 0 : nsteps;
        divided = 0;
        isStarted = false;
    }

    @Override
    public boolean isDone() {
        return up == nsteps && down == nsteps;
    }

    @Override
    public int doWork() {
        if (isDone()) {
            return 0;
        }
        if (!isStarted) {
            start();
        }
        return (up < nsteps && canGoUp() ? goUp() : 0) + (down < nsteps && canGoDown() ? goDown() : 0);
    }

    private void start() {
        isStarted = true;
        if (reduction != null) {
            reduction.begin(op);
        }
        if (isUp) {
            start(lane.toParent, false, stamp);
            for (CollNetLane.Child child : upFrom) {
                start(child.from(), true, stamp);
            }
        }
        if (isDown) {
            // A network says nothing of what it carries.
            start(lane.fromParent, true, lane.isRoot ? 0 : stamp);
            for (CollNetLane.Child child : downTo) {
                start(child.to(), false, stamp);
            }
        }
    }

    private static void start(SimplePrimitives primitives, boolean isRecv, int stamp) {
        primitives.inPlace(false, false, null);
        primitives.stamp(stamp);
        primitives.start(1, 1, isRecv, !isRecv);
    }

    private boolean canGoUp() {
        for (CollNetLane.Child child : upFrom) {
            if (!child.from().isReceived(0)) {
                return false;
            }
        }
        return lane.toParent.hasCredit();
    }

    private boolean canGoDown() {
        for (CollNetLane.Child child : downTo) {
            if (!child.to().hasCredit()) {
                return false;
            }
        }
        return lane.fromParent.isReceived(0);
    }

    private int goUp() {
        if (isRegistered) {
            lane.toParent.postSend(bytes);
        } else {
            long begin = geometry.begin(lane.channel, lane.head, up);
            long end = geometry.end(lane.channel, lane.head, up);
            if (function == CollFunction.ALL_GATHER) {
                gatherUp(begin, end);
            } else {
                reduceUp(begin, end);
            }
        }
        up++;
        return 1;
    }

    private int goDown() {
        if (isRegistered && isDivided && divided < bytes) {
            divideNext();
            return 1;
        }
        if (!isRegistered) {
            long begin = geometry.begin(lane.channel, lane.head, down);
            long end = geometry.end(lane.channel, lane.head, down);
            if (function == CollFunction.REDUCE_SCATTER) {
                scatterDown(begin, end);
            } else {
                spreadDown(begin, end);
            }
        }
        lane.fromParent.postRecv();
        down++;
        return 1;
    }

    /** This rank's window and those of all children, reduced into the parent's slot. */
    private void reduceUp(long begin, long end) {
        MemorySegment slots = lane.toParent.sendSlots;
        long slot = lane.toParent.sendSlot();
        if (upFrom.length == 0) {
            copyIn(begin, end, slots, slot);
        } else {
            reduceOwn(begin, end, upFrom[0].from(), slots, slot);
            for (int i = 1; i < upFrom.length; i++) {
                SimplePrimitives from = upFrom[i].from();
                upReduction.operands(slots, slot, from.recvSlots, from.recvSlot())
                        .reduce(slots, slot, count(end - begin), false);
            }
        }
        for (CollNetLane.Child child : upFrom) {
            child.from().postRecv();
        }
        lane.toParent.postSend(end - begin);
    }

    private void reduceOwn(long begin, long end, SimplePrimitives from, MemorySegment slots, long slot) {
        long theirs = from.recvSlot();
        for (long at = begin; at < end; ) {
            long length = geometry.together(lane.head, at, end);
            reduction.operands(from.recvSlots, theirs + at - begin, sendBuffer, geometry.userOffset(lane.head, at))
                    .reduce(lane.toParent.send.copier(), slots, slot + at - begin, count(length), false);
            at += length;
        }
    }

    private void copyIn(long begin, long end, MemorySegment slots, long slot) {
        Copier copier = lane.toParent.send.copier();
        for (long at = begin; at < end; ) {
            long length = geometry.together(lane.head, at, end);
            long from = geometry.userOffset(lane.head, at);
            if (reduction.isScaling()) {
                reduction.scale(sendBuffer, from, slots, slot + at - begin, count(length));
            } else {
                copier.copy(sendBuffer, from, slots, slot + at - begin, length);
            }
            at += length;
        }
    }

    /** What this rank and its children have of the window, in their order. */
    private void gatherUp(long begin, long end) {
        MemorySegment slots = lane.toParent.sendSlots;
        long slot = lane.toParent.sendSlot();
        long length = ownLength(begin, end, shape.local());
        lane.toParent.send.copier().copy(sendBuffer, ownOffset(begin, shape.local()), slots, slot, length);
        for (CollNetLane.Child child : upFrom) {
            long more = ownLength(begin, end, child.local());
            SimplePrimitives from = child.from();
            from.recv.copier().copy(from.recvSlots, from.recvSlot(), slots, slot + length, more);
            from.postRecv();
            length += more;
        }
        lane.toParent.postSend(length);
    }

    /** The window, to the user and to all children. */
    private void spreadDown(long begin, long end) {
        MemorySegment slots = lane.fromParent.recvSlots;
        long slot = lane.fromParent.recvSlot();
        if (isDivided) {
            divide(slots, slot, slots, slot, end - begin);
        }
        for (long at = begin; at < end; ) {
            long length = geometry.together(lane.head, at, end);
            lane.fromParent.recv.copier().copy(slots, slot + at - begin, recvBuffer,
                    geometry.userOffset(lane.head, at), length);
            at += length;
        }
        for (CollNetLane.Child child : downTo) {
            passOn(child, slots, slot, end - begin);
        }
    }

    /** What is this rank's and its children's of this node's part of the window. */
    private void scatterDown(long begin, long end) {
        MemorySegment slots = lane.fromParent.recvSlots;
        long slot = lane.fromParent.recvSlot();
        long length = ownLength(begin, end, shape.local());
        long to = ownOffset(begin, shape.local());
        if (isDivided) {
            divide(slots, slot, recvBuffer, to, length);
        } else {
            lane.fromParent.recv.copier().copy(slots, slot, recvBuffer, to, length);
        }
        for (CollNetLane.Child child : downTo) {
            long theirs = ownLength(begin, end, child.local());
            if (isDivided) {
                divide(slots, slot + length, slots, slot + length, theirs);
            }
            passOn(child, slots, slot + length, theirs);
            length += theirs;
        }
    }

    private static void passOn(CollNetLane.Child child, MemorySegment from, long offset, long length) {
        SimplePrimitives to = child.to();
        to.send.copier().copy(from, offset, to.sendSlots, to.sendSlot(), length);
        to.postSend(length);
    }

    /** How much of a rank's part lies before a place of the rail. */
    private long ownOffset(long at, int local) {
        return Math.clamp(at - geometry.ownBegin(lane.head, local), 0, bytes);
    }

    private long ownLength(long begin, long end, int local) {
        return ownOffset(end, local) - ownOffset(begin, local);
    }

    /** A part of what the network left in the user's memory: others have their turn in between. */
    private void divideNext() {
        long length = Math.min(DIVIDED_AT_ONCE, bytes - divided);
        divide(recvBuffer, divided, recvBuffer, divided, length);
        divided += length;
    }

    /** A network sums where the mean is asked for. */
    private void divide(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long length) {
        reduction.operands(from, fromOffset, zeros.of(length), 0).reduce(to, toOffset, count(length), true);
    }

    private long count(long length) {
        assert length % reduction.elementBytes() == 0 : length;
        return length / reduction.elementBytes();
    }

    @Override
    public ProxyException whyHopeless() {
        if (!isStarted || isDone()) {
            return null;
        }
        ProxyException why = up < nsteps ? whyNoWay(upFrom, lane.toParent) : null;
        return why == null && down < nsteps ? whyNoWayDown() : why;
    }

    private static ProxyException whyNoWay(CollNetLane.Child[] children, SimplePrimitives parent) {
        for (CollNetLane.Child child : children) {
            if (!child.from().isReceived(0)) {
                ProxyException why = child.from().whyNoSteps();
                if (why != null) {
                    return why;
                }
            }
        }
        return parent.hasCredit() ? null : parent.send.whyNoCredit();
    }

    private ProxyException whyNoWayDown() {
        for (CollNetLane.Child child : downTo) {
            if (!child.to().hasCredit()) {
                ProxyException why = child.to().send.whyNoCredit();
                if (why != null) {
                    return why;
                }
            }
        }
        return lane.fromParent.isReceived(0) ? null : lane.fromParent.whyNoSteps();
    }

    @Override
    public String awaited() {
        if (isDone()) {
            return "";
        }
        if (!isStarted) {
            return "has not begun";
        }
        return up < nsteps ? awaitedUp() : awaitedDown();
    }

    private String awaitedUp() {
        for (CollNetLane.Child child : upFrom) {
            if (!child.from().isHere(0)) {
                return child.from().awaited(true, false, 0);
            }
        }
        return lane.toParent.awaited(false, true, 0);
    }

    private String awaitedDown() {
        for (CollNetLane.Child child : downTo) {
            String credit = child.to().awaited(false, true, 0);
            if (!credit.equals(Primitives.MOVES)) {
                return credit;
            }
        }
        return lane.fromParent.awaited(true, false, 0);
    }

    @Override
    public void retire() {
        nsteps = 0;
        up = 0;
        down = 0;
        sendBuffer = null;
        recvBuffer = null;
    }
}
