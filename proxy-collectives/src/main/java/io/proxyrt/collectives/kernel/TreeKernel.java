/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.reduction.Reductions;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** One launch of a collective by trees that share its data; prepared anew for each. */
public final class TreeKernel implements HostKernel {
    private final int rank;
    private final int nRanks;
    private final CollectiveWork work;
    private final TreeBlock[] blocks;

    private TreeKernel(int rank, int nRanks, TreeBlock[] blocks) {
        this.rank = rank;
        this.nRanks = nRanks;
        this.work = new CollectiveWork(nRanks);
        this.blocks = blocks;
    }

    /**
     * Kernels that take turns.
     *
     * @param rank   of this device
     * @param nRanks in the trees
     * @param trees  at most
     * @return makes kernels for one stream that were not prepared
     */
    public static Supplier<TreeKernel> source(int rank, int nRanks, int trees) {
        Reductions[] reductions = new Reductions[trees];
        Arrays.setAll(reductions, tree -> new Reductions(nRanks));
        Scratch[] scratch = new Scratch[2 * trees];
        Arrays.setAll(scratch, any -> new Scratch());
        return () -> {
            TreeBlock[] blocks = new TreeBlock[trees];
            Arrays.setAll(blocks, tree -> new TreeBlock(reductions[tree], scratch[2 * tree], scratch[2 * tree + 1]));
            return new TreeKernel(rank, nRanks, blocks);
        };
    }

    /** {@return what the next launch shall do; to be filled by the launching thread} */
    public CollectiveWork work() {
        return work;
    }

    /** Begins to set the kernel up; the launching thread, before the launch. */
    public void begin() {
        for (TreeBlock block : blocks) {
            block.clear();
        }
    }

    /**
     * Gives one tree its part of {@link #work()}, which says how steps travel.
     *
     * @param tree   which
     * @param ports  this rank's
     * @param offset of the part, in bytes
     * @param bytes  of the part, at least 1
     * @return how the part is cut, for the proxy's ops
     */
    public TreeGeometry prepare(int tree, TreePorts ports, long offset, long bytes) {
        return blocks[tree].prepare(work, rank, nRanks, ports, offset, bytes);
    }

    @Override
    public int doWork() {
        int moved = 0;
        for (TreeBlock block : blocks) {
            moved += block.doWork();
        }
        return moved;
    }

    @Override
    public boolean isDone() {
        for (TreeBlock block : blocks) {
            if (!block.isDone()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public ProxyException whyHopeless() {
        for (TreeBlock block : blocks) {
            ProxyException why = block.whyHopeless();
            if (why != null) {
                return why;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return Arrays.stream(blocks).map(TreeBlock::awaited).filter(awaited -> !awaited.isEmpty())
                .collect(Collectors.joining("; ", work + ", by trees: ", ""));
    }

    @Override
    public void onRetired(boolean isDropped) {
        work.clear();
        begin();
    }
}
