/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.collectives.msccl.ProgramBlock;
import io.proxyrt.collectives.msccl.ProgramStep;
import io.proxyrt.collectives.msccl.Room;
import io.proxyrt.collectives.msccl.StepKind;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.reduction.Reduction;
import java.lang.foreign.MemorySegment;

/**
 * A thread block of a file, as far as it has come. Chunks that do not fit a slot go in pieces: all steps are done with
 * the first pieces of each chunk, then with the next ones, as MSCCL's loops do it. A step takes a slot for each of its
 * pieces, and moves one after the other, so that the next rank need not wait for all of them.
 */
final class BlockRun implements Block {
    /** Of a pass, so that other blocks have their turn. */
    private static final int MOST_STEPS = 8;

    private final ProgramBlock block;
    private final ProgramStep[] steps;
    /** Null if nothing comes in or goes out. */
    private final SimplePrimitives link;
    private final boolean receives;
    private final boolean sends;
    /** Of this rank. */
    private final BlockRun[] all;
    private MemorySegment input;
    private MemorySegment output;
    private MemorySegment scratch;
    private Reduction reduction;
    private long chunkBytes;
    private long pieceBytes;
    /** Of a chunk. */
    private long pieces;
    /** That a step moves. */
    private int together;
    /** The first one of the step. */
    private long first;
    private int at;
    /** Of those of the step. */
    private int piece;

    BlockRun(ProgramBlock block, SimplePrimitives link, BlockRun[] all) {
        this.block = block;
        this.steps = block.steps().toArray(ProgramStep[]::new);
        this.link = link;
        this.receives = block.recvs() > 0;
        this.sends = block.sends() > 0;
        this.all = all;
    }

    /** Sets it up; the launching thread. */
    void prepare(CollectiveWork work, long chunk, long pieceOfChunk, int mostTogether) {
        input = work.sendBuffer();
        output = work.recvBuffer();
        chunkBytes = chunk;
        pieceBytes = pieceOfChunk;
        pieces = steps.length == 0 ? 0 : Math.ceilDiv(chunk, pieceOfChunk);
        together = mostTogether;
        first = 0;
        at = 0;
        piece = 0;
    }

    /** Before the first step of any block. */
    void start(int stamp, MemorySegment memory, Reduction combining) {
        scratch = memory;
        reduction = combining;
        if (link != null) {
            link.stamp(stamp);
            link.start(1, 1, receives, sends);
        }
    }

    @Override
    public int doWork() {
        int moved = 0;
        while (moved < MOST_STEPS && !isDone() && isReady(steps[at])) {
            carryOut(steps[at]);
            advance();
            moved++;
        }
        return moved;
    }

    private void advance() {
        if (++piece < together && first + piece < pieces) {
            return;
        }
        piece = 0;
        if (++at == steps.length) {
            at = 0;
            first += together;
        }
    }

    @Override
    public boolean isDone() {
        return first >= pieces;
    }

    private boolean isReady(ProgramStep step) {
        return isMet(step) && (!step.kind().receives() || link.isReceived(0))
                && (!step.kind().sends() || link.hasCredit());
    }

    /** Whether the step that it waits for is done, with the same piece. */
    private boolean isMet(ProgramStep step) {
        if (step.waitBlock() < 0) {
            return true;
        }
        BlockRun other = all[step.waitBlock()];
        return other.first > first || other.first == first && (other.at > step.waitStep()
                || other.at == step.waitStep() && other.piece > piece);
    }

    private void carryOut(ProgramStep step) {
        long slotted = step.count() == 0 ? 0 : moveAll(step);
        if (step.kind().sends()) {
            link.postSend(slotted);
        }
        if (step.kind().receives()) {
            link.postRecv();
        }
    }

    /** Returns the bytes of the piece of all its chunks. */
    private long moveAll(ProgramStep step) {
        long length = Math.min(pieceBytes, chunkBytes - (first + piece) * pieceBytes);
        boolean isWhole = length == chunkBytes;
        int runs = isWhole ? 1 : step.count();
        long bytes = isWhole ? step.count() * chunkBytes : length;
        long slotted = 0;
        if (step.kind() == StepKind.RECV_COPY_SEND) {
            link.send.copier().copy(link.recvSlots, link.recvSlot(), link.sendSlots, link.sendSlot(), runs * bytes);
        }
        for (int run = 0; run < runs; run++) {
            move(step, offset(step.sourceOffset() + run), offset(step.targetOffset() + run), slotted, bytes);
            slotted += bytes;
        }
        return slotted;
    }

    private long offset(int chunk) {
        return chunk * chunkBytes + (first + piece) * pieceBytes;
    }

    /** Bytes that follow each other everywhere. */
    private void move(ProgramStep step, long from, long to, long slotted, long bytes) {
        MemorySegment source = room(step.source());
        MemorySegment target = room(step.target());
        switch (step.kind()) {
            case SEND -> link.send.copier().copy(source, from, link.sendSlots, link.sendSlot() + slotted, bytes);
            case RECV, RECV_COPY_SEND ->
                link.recv.copier().copy(link.recvSlots, link.recvSlot() + slotted, target, to, bytes);
            case RECV_REDUCE_SEND -> incoming(slotted, source, from).reduce(link.send.copier(), link.sendSlots,
                    link.sendSlot() + slotted, count(bytes), true);
            case RECV_REDUCE_COPY -> incoming(slotted, source, from).reduce(target, to, count(bytes), true);
            case RECV_REDUCE_COPY_SEND -> incoming(slotted, source, from).reduce(link.send.copier(), link.sendSlots,
                    link.sendSlot() + slotted, target, to, count(bytes), true);
            case COPY -> MemorySegment.copy(source, from, target, to, bytes);
            case REDUCE -> reduction.operands(source, from, target, to).reduce(target, to, count(bytes), true);
            case NOP, SIGNAL, WAIT -> throw new AssertionError(step);
        }
    }

    private Reduction incoming(long slotted, MemorySegment own, long ownOffset) {
        return reduction.operands(link.recvSlots, link.recvSlot() + slotted, own, ownOffset);
    }

    private long count(long bytes) {
        return bytes / reduction.elementBytes();
    }

    private MemorySegment room(Room room) {
        return switch (room) {
            case INPUT -> input;
            case OUTPUT -> output;
            case SCRATCH -> scratch;
            case null -> null;
        };
    }

    @Override
    public ProxyException whyHopeless() {
        if (isDone() || !isMet(steps[at])) {
            return null;
        }
        StepKind kind = steps[at].kind();
        ProxyException why = kind.receives() && !link.isReceived(0) ? link.whyNoSteps() : null;
        return why == null && kind.sends() && !link.hasCredit() ? link.send.whyNoCredit() : why;
    }

    @Override
    public String awaited() {
        int current = at;
        if (isDone() || current >= steps.length) {
            return "";
        }
        ProgramStep step = steps[current];
        return "block " + block.id() + " at step " + current + " " + (!isMet(step)
                ? "waits for step " + step.waitStep() + " of block " + step.waitBlock()
                : link == null ? Primitives.MOVES : link.awaited(step.kind().receives(), step.kind().sends(), 0));
    }

    @Override
    public void retire() {
        first = pieces;
        input = null;
        output = null;
        scratch = null;
    }
}
