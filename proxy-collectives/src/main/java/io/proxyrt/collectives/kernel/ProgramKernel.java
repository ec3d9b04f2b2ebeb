/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.reduction.Reductions;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** One launch of a collective by an algorithm of a file: RCCL's {@code mscclRunInterpreter}. */
public final class ProgramKernel implements HostKernel {
    private static final int MOST_DESCRIBED = 4;
    private static final BlockRun[] NONE = {};

    private final CollectiveWork work;
    private final StepReduction reduction;
    private final Scratch scratch;
    private final Map<ProgramLinks, BlockRun[]> made = new IdentityHashMap<>();
    private ProgramLinks links;
    private BlockRun[] blocks = NONE;
    private long scratchBytes;
    private boolean isStarted;

    private ProgramKernel(int nRanks, Reductions reductions, Scratch scratch) {
        this.work = new CollectiveWork(nRanks);
        this.reduction = new StepReduction(reductions);
        this.scratch = scratch;
    }

    /**
     * Kernels that take turns.
     *
     * @param nRanks in the group
     * @return makes kernels for one stream that were not prepared
     */
    public static Supplier<ProgramKernel> source(int nRanks) {
        Reductions reductions = new Reductions(nRanks);
        Scratch scratch = new Scratch();
        return () -> new ProgramKernel(nRanks, reductions, scratch);
    }

    /** {@return what the next launch shall do; to be filled by the launching thread} */
    public CollectiveWork work() {
        return work;
    }

    /**
     * Sets the kernel up; the launching thread, before the launch.
     *
     * @param program    what to do; always the same for a file
     * @param chunkBytes of a chunk
     * @param pieceBytes of a chunk that go at once, whole elements
     * @param pieces     that a step moves one after the other
     */
    public void prepare(ProgramLinks program, long chunkBytes, long pieceBytes, int pieces) {
        links = program;
        blocks = made.get(program);
        if (blocks == null) {
            blocks = program.runs();
            made.put(program, blocks);
        }
        scratchBytes = program.scratchChunks() * chunkBytes;
        reduction.prepare(work);
        isStarted = false;
        for (BlockRun block : blocks) {
            block.prepare(work, chunkBytes, pieceBytes, pieces);
        }
    }

    @Override
    public int doWork() {
        if (!isStarted) {
            isStarted = true;
            start();
        }
        int moved = 0;
        for (BlockRun block : blocks) {
            moved += block.doWork();
        }
        return moved;
    }

    private void start() {
        reduction.begin();
        for (BlockRun block : blocks) {
            block.start(work.stamp(), scratch.of(scratchBytes), reduction.combining());
        }
    }

    @Override
    public boolean isDone() {
        for (BlockRun block : blocks) {
            if (!block.isDone()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public ProxyException whyHopeless() {
        for (int i = 0; isStarted && i < blocks.length; i++) {
            ProxyException why = blocks[i].whyHopeless();
            if (why != null) {
                return why;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return work + " by " + links + ": " + (!isStarted ? "has not begun" : Arrays.stream(blocks)
                .map(BlockRun::awaited).filter(awaited -> !awaited.isEmpty()).limit(MOST_DESCRIBED)
                .collect(Collectors.joining("; ")));
    }

    @Override
    public void onRetired(boolean isDropped) {
        work.clear();
        for (BlockRun block : blocks) {
            block.retire();
        }
    }
}
