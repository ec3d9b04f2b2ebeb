/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.reduction.Accumulator;
import io.proxyrt.core.reduction.Reductions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Makes one stream of many: reads the connections of a group in the order of their ranks, chunk by chunk, and combines
 * or concatenates what they send. Confined to the group's thread.
 */
final class Intake {
    private final Link[] links;
    private final Parts parts;
    private final Reductions reductions;
    private final ChunkRing target;
    private final Tally tally;
    private final int chunkBytes;
    private final MemorySegment stageSegment;
    private final ByteBuffer stage;
    private final Accumulator accumulator;
    private final Call call = new Call();
    private Link link;
    private Slot slot;
    private boolean isCalling;
    private boolean isCopying;
    private boolean isStalled;
    private long bytes;
    private long position;
    private int chunk;
    private int turn;
    private int filled;
    private int folded;
    private int part;
    private long partLeft;

    Intake(List<Link> links, Parts parts, ChunkRing target, SwitchThread thread, Arena arena, int chunkBytes) {
        this.links = links.toArray(Link[]::new);
        this.parts = parts;
        this.target = target;
        this.reductions = thread.reductions();
        this.tally = thread.tally();
        this.chunkBytes = chunkBytes;
        this.stageSegment = arena.allocate(chunkBytes, Long.BYTES);
        this.stage = stageSegment.asByteBuffer();
        this.accumulator = new Accumulator(chunkBytes);
        this.link = this.links[0];
    }

    /** The connection that is read, or was last. */
    Link link() {
        return link;
    }

    /** Whether the last call is, or was, a reduce-scatter. */
    boolean isScatter() {
        return call.isScatter();
    }

    /** Whether it is amid a call. */
    boolean isCalling() {
        return isCalling;
    }

    /** Whether what this connection sends is of use now. */
    boolean isReading(Link other) {
        return isCalling && slot != null && link == other;
    }

    /** What is called now, or was last. */
    Call call() {
        return call;
    }

    /** Whether all connections have a call that can begin. */
    boolean isCallComplete() {
        for (Link each : links) {
            if (!each.hasCall()) {
                return false;
            }
        }
        return !isCalling;
    }

    /** All connections have the same call. */
    void begin() {
        for (Link each : links) {
            call.set(each.take());
        }
        isCalling = true;
        isCopying = call.isGather() || links.length == 1;
        bytes = call.bytesUp(parts.ranks());
        position = 0;
        part = 0;
        partLeft = 0;
        if (!isCopying) {
            accumulator.begin(reductions.get(call.type(), call.op()));
        }
    }

    /** Goes on with a chunk of the begun call; returns whether anything moved. */
    boolean step() throws IOException {
        if (slot == null && !isSlotTaken()) {
            return false;
        }
        final boolean isMoving = isCopying ? copy() : reduce();
        if (isCopying ? filled == chunk : turn == links.length) {
            publish();
            return true;
        }
        return isMoving;
    }

    private boolean isSlotTaken() {
        slot = target.free();
        if (slot == null) {
            tally.add(SwitchCounter.BACK_PRESSURE, isStalled ? 0 : 1);
            isStalled = true;
            return false;
        }
        isStalled = false;
        chunk = (int) Math.min(chunkBytes, bytes - position);
        turn = 0;
        filled = 0;
        folded = 0;
        return true;
    }

    private void publish() {
        slot.set(call, position, chunk);
        target.publish();
        slot = null;
        position += chunk;
        if (position == bytes) {
            isCalling = false;
            tally.add(SwitchCounter.CALLS, 1);
        }
    }

    private boolean copy() throws IOException {
        final int before = filled;
        while (filled < chunk) {
            nextPart();
            final int wanted = (int) Math.min(chunk - filled, partLeft);
            final int n = link.read(slot.buffer().clear().limit(filled + wanted).position(filled));
            filled += n;
            partLeft -= n;
            if (n < wanted) {
                break;
            }
        }
        return filled > before;
    }

    private void nextPart() {
        if (!call.isGather()) {
            link = links[0];
            partLeft = bytes - position - filled;
        }
        while (partLeft == 0) {
            link = parts.owner(part);
            partLeft = call.part(parts.ranks()[part++]);
        }
    }

    private boolean reduce() throws IOException {
        boolean isMoving = false;
        while (turn < links.length) {
            link = links[turn];
            final int n = link.read(stage.clear().limit(chunk).position(filled));
            filled += n;
            isMoving |= n > 0;
            fold();
            if (filled < chunk) {
                return isMoving;
            }
            filled = 0;
            folded = 0;
            turn++;
        }
        return isMoving;
    }

    /** Combines whole blocks. */
    private void fold() {
        final int blockBytes = accumulator.blockBytes();
        while (folded < filled && (filled - folded >= blockBytes || filled == chunk)) {
            final int n = Math.min(blockBytes, chunk - folded);
            if (turn == 0) {
                accumulator.set(folded, stageSegment, folded, n);
            } else {
                accumulator.combine(folded, stageSegment, folded, n);
                tally.add(SwitchCounter.BYTES_REDUCED, n);
            }
            if (turn == links.length - 1) {
                accumulator.get(folded, slot.segment(), folded, n);
            }
            folded += n;
        }
    }
}
