/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.reduction.Reductions;
import java.util.Arrays;
import java.util.function.Supplier;

/** One launch of a collective by trees that share its data; prepared anew for each. */
public final class TreeKernel extends BlocksKernel<TreeBlock> {
    private final int rank;
    private final int nRanks;

    private TreeKernel(int rank, int nRanks, TreeBlock[] blocks) {
        super(nRanks, ", by trees", blocks);
        this.rank = rank;
        this.nRanks = nRanks;
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
        return blocks[tree].prepare(work(), rank, nRanks, ports, offset, bytes);
    }
}
