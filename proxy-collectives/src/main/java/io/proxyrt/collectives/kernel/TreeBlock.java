/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.reduction.Reductions;
import java.lang.foreign.MemorySegment;

/**
 * One tree's part of a collective. Chunks go up, reduced on the way, and down, each way as fast as it can: the root
 * sends a chunk down once it is reduced. A broadcast only goes down, a reduce only up.
 */
final class TreeBlock implements Block {
    private final StepReduction reduction;
    private final Scratch sum;
    private final Scratch scaled;
    private CollectiveWork work;
    private TreePorts ports;
    private Protocol protocol;
    private boolean isInPlace;
    private long offset;
    private final TreeGeometry geometry = new TreeGeometry();
    /** Chunks that were sent up, or reduced at the root; and all that are. */
    private int up;
    private int upEnd;
    /** Chunks that came down and were passed on. */
    private int down;
    private int downEnd;
    private boolean isStarted;

    /** With memory that the blocks of a tree share, which take turns. */
    TreeBlock(Reductions reductions, Scratch sum, Scratch scaled) {
        this.reduction = new StepReduction(reductions);
        this.sum = sum;
        this.scaled = scaled;
    }

    /** Sets the block up for a launch: a part from an offset on. */
    TreeGeometry prepare(CollectiveWork of, int rank, int nRanks, TreePorts tree, long from, long bytes) {
        work = of;
        ports = tree;
        protocol = of.protocol();
        isInPlace = of.isInPlace(rank);
        offset = from;
        reduction.prepare(of);
        geometry.compute(bytes, steps(tree.isRoot() ? tree.toDown()[0] : tree.toUp()).dataBytes(), nRanks);
        up = 0;
        down = 0;
        upEnd = goesUp() ? geometry.nChunks() : 0;
        downEnd = goesDown() ? geometry.nChunks() : 0;
        isStarted = false;
        return geometry;
    }

    @Override
    public void retire() {
        up = 0;
        upEnd = 0;
        down = 0;
        downEnd = 0;
    }

    @Override
    public boolean isDone() {
        return up == upEnd && down == downEnd;
    }

    @Override
    public int doWork() {
        if (isDone()) {
            return 0;
        }
        if (!isStarted) {
            start();
        }
        int moved = 0;
        if (up < upEnd && canGoUp()) {
            goUp(offset + geometry.offset(up), geometry.length(up));
            up++;
            moved++;
        }
        if (down < downEnd && canGoDown()) {
            goDown(offset + geometry.offset(down), geometry.length(down));
            down++;
            moved++;
        }
        return moved;
    }

    @Override
    public ProxyException whyHopeless() {
        if (!isStarted) {
            return null;
        }
        ProxyException why = up < upEnd ? whyNotUp(geometry.length(up)) : null;
        return why == null && down < downEnd ? whyNotDown(geometry.length(down)) : why;
    }

    private ProxyException whyNotUp(long length) {
        ProxyException why = null;
        for (int i = 0; why == null && i < ports.fromDown().length; i++) {
            why = whyNotHere(ports.fromDown()[i], length);
        }
        return why == null && !ports.isRoot() ? whyNoCredit(ports.toUp()) : why;
    }

    private ProxyException whyNotDown(long length) {
        ProxyException why = ports.isRoot() ? null : whyNotHere(ports.fromUp(), length);
        for (int i = 0; why == null && i < ports.toDown().length; i++) {
            why = whyNoCredit(ports.toDown()[i]);
        }
        return why;
    }

    private ProxyException whyNotHere(Port from, long length) {
        return steps(from).isReceived(length) ? null : steps(from).whyNoSteps();
    }

    private ProxyException whyNoCredit(Port to) {
        return steps(to).hasCredit() ? null : steps(to).send.whyNoCredit();
    }

    @Override
    public String awaited() {
        if (isDone()) {
            return "";
        }
        if (!isStarted) {
            return "has not begun";
        }
        String what = up < upEnd ? awaited(ports.fromDown(), ports.toUp(), geometry.length(up)) : Primitives.MOVES;
        return what.equals(Primitives.MOVES) && down < downEnd ? awaitedDown(geometry.length(down)) : what;
    }

    private String awaitedDown(long length) {
        String what = ports.isRoot() ? Primitives.MOVES : steps(ports.fromUp()).awaited(true, false, length);
        for (int i = 0; what.equals(Primitives.MOVES) && i < ports.toDown().length; i++) {
            what = steps(ports.toDown()[i]).awaited(false, true, length);
        }
        return what;
    }

    private String awaited(Port[] froms, Port to, long length) {
        String what = Primitives.MOVES;
        for (int i = 0; what.equals(Primitives.MOVES) && i < froms.length; i++) {
            what = steps(froms[i]).awaited(true, false, length);
        }
        return what.equals(Primitives.MOVES) && to != null ? steps(to).awaited(false, true, length) : what;
    }

    private boolean goesUp() {
        return work.function() != CollFunction.BROADCAST;
    }

    private boolean goesDown() {
        return work.function() != CollFunction.REDUCE;
    }

    private void start() {
        isStarted = true;
        for (int i = 0; i < ports.toDown().length; i++) {
            start(ports.fromDown()[i], goesUp());
            start(ports.toDown()[i], goesDown());
        }
        if (!ports.isRoot()) {
            start(ports.toUp(), goesUp());
            start(ports.fromUp(), goesDown());
        }
        reduction.begin();
    }

    private void start(Port port, boolean isUsed) {
        if (isUsed) {
            port.start(protocol, work.stamp());
        }
    }

    private Primitives steps(Port port) {
        return port.primitives(protocol);
    }

    private boolean canGoUp() {
        for (Port child : ports.fromDown()) {
            if (!steps(child).isReceived(geometry.length(up))) {
                return false;
            }
        }
        return ports.isRoot() || steps(ports.toUp()).hasCredit();
    }

    private void goUp(long at, long length) {
        MemorySegment own = work.sendBuffer();
        long ownAt = at;
        if (reduction.isScaling()) {
            own = scaled.of(length);
            ownAt = 0;
            reduction.scale(work.sendBuffer(), at, own, 0, count(length));
        }
        Port[] children = ports.fromDown();
        for (int i = 0; i < children.length - 1; i++) {
            MemorySegment partial = sum.of(length);
            steps(children[i]).recvReduce(reduction.combining(), own, ownAt, partial, 0, count(length));
            own = partial;
            ownAt = 0;
        }
        if (children.length == 0) {
            steps(ports.toUp()).send(own, ownAt, length);
        } else {
            goUp(steps(children[children.length - 1]), own, ownAt, at, length);
        }
    }

    /** With the last child's part: to the parent, or at the root to where the outcome belongs. */
    private void goUp(Primitives last, MemorySegment own, long ownAt, long at, long length) {
        if (ports.isRoot()) {
            last.recvReduceCopy(reduction.combining(), own, work.recvBuffer(), ownAt, at, count(length));
            return;
        }
        Primitives to = steps(ports.toUp());
        if (to.keepsData()) {
            last.recvReduce(reduction.combining(), own, ownAt, to.sendSlots, to.sendSlot(), count(length));
            to.postSend(length);
        } else {
            MemorySegment partial = sum.of(length);
            last.recvReduce(reduction.combining(), own, ownAt, partial, 0, count(length));
            to.send(partial, 0, length);
        }
    }

    private boolean canGoDown() {
        if (ports.isRoot() ? goesUp() && down == up : !steps(ports.fromUp()).isReceived(geometry.length(down))) {
            return false;
        }
        for (Port child : ports.toDown()) {
            if (!steps(child).hasCredit()) {
                return false;
            }
        }
        return true;
    }

    private void goDown(long at, long length) {
        MemorySegment from = work.recvBuffer();
        if (!ports.isRoot()) {
            steps(ports.fromUp()).recv(from, at, length);
        } else if (!goesUp()) {
            from = work.sendBuffer();
            if (!isInPlace) {
                MemorySegment.copy(from, at, work.recvBuffer(), at, length);
            }
        }
        for (Port child : ports.toDown()) {
            steps(child).send(from, at, length);
        }
    }

    private long count(long length) {
        assert length % work.type().sizeBytes() == 0 : length;
        return length / work.type().sizeBytes();
    }
}
