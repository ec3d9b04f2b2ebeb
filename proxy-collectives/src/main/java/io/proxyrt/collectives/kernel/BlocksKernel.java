/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * One launch of a collective that blocks share. Blocks that a launch does not prepare have nothing to do.
 *
 * @param <B> of which kind they are
 */
abstract class BlocksKernel<B extends Block> implements HostKernel {
    final B[] blocks;
    private final CollectiveWork work;
    private final String how;

    /** Says of itself how it goes. */
    BlocksKernel(int nRanks, String how, B[] blocks) {
        this.work = new CollectiveWork(nRanks);
        this.how = how;
        this.blocks = blocks;
    }

    /** {@return what the next launch shall do; to be filled by the launching thread} */
    public final CollectiveWork work() {
        return work;
    }

    @Override
    public int doWork() {
        int moved = 0;
        for (Block block : blocks) {
            moved += block.doWork();
        }
        return moved;
    }

    @Override
    public final boolean isDone() {
        for (Block block : blocks) {
            if (!block.isDone()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public ProxyException whyHopeless() {
        for (Block block : blocks) {
            ProxyException why = block.whyHopeless();
            if (why != null) {
                return why;
            }
        }
        return null;
    }

    @Override
    public final String toString() {
        return Arrays.stream(blocks).map(Block::awaited).filter(awaited -> !awaited.isEmpty())
                .collect(Collectors.joining("; ", work + how + ": ", ""));
    }

    @Override
    public final void onRetired(boolean isDropped) {
        work.clear();
        retire();
    }

    /** Ends all blocks. */
    final void retire() {
        for (Block block : blocks) {
            block.retire();
        }
    }
}
