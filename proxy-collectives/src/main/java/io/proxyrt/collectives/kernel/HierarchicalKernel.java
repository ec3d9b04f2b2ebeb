/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.HostKernel;
import java.util.List;
import java.util.function.Supplier;

/**
 * One launch of an all-reduce by nodes: the ranks of a node reduce and scatter, those that have the same part reduce it
 * over the nodes, and then the ranks of a node gather. Each of the three is a collective by a ring of its own.
 */
public final class HierarchicalKernel implements HostKernel {
    private final CollectiveWork work;
    /** In their order; none before the first launch. */
    private List<CollectiveKernel> phases = List.of();
    private int phase;

    /**
     * A kernel that was not prepared.
     *
     * @param nRanks in all
     */
    public HierarchicalKernel(int nRanks) {
        this.work = new CollectiveWork(nRanks);
    }

    /** {@return what is done in all; to be filled by the launching thread} */
    public CollectiveWork work() {
        return work;
    }

    /**
     * Begins to set the kernel up; the launching thread, before the launch.
     *
     * @param node  makes kernels of the ring within the node; always the same
     * @param nodes makes kernels of the ring over the nodes; always the same
     * @return the three phases, to be prepared
     */
    public List<CollectiveKernel> begin(Supplier<CollectiveKernel> node, Supplier<CollectiveKernel> nodes) {
        if (phases.isEmpty()) {
            phases = List.of(node.get(), nodes.get(), node.get());
        }
        phase = 0;
        return phases;
    }

    @Override
    public int doWork() {
        if (isDone()) {
            return 0;
        }
        CollectiveKernel current = phases.get(phase);
        int moved = current.doWork();
        if (current.isDone()) {
            phase++;
            moved++;
        }
        return moved;
    }

    @Override
    public boolean isDone() {
        return phase == phases.size();
    }

    @Override
    public ProxyException whyHopeless() {
        return isDone() ? null : phases.get(phase).whyHopeless();
    }

    @Override
    public String toString() {
        int at = phase;
        return work + ", by nodes" + (at == phases.size() ? "" : ": " + phases.get(at));
    }

    @Override
    public void onRetired(boolean isDropped) {
        work.clear();
        for (int i = 0; i < phases.size(); i++) {
            phases.get(i).onRetired(isDropped);
        }
        phase = phases.size();
    }
}
