/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.reduction.Reductions;
import java.util.List;
import java.util.stream.Stream;

/**
 * One launch of a collective that the network carries out, over all lanes: RCCL's CollNetDirect and CollNetChain
 * kernels. Data go up each lane, on which they are reduced or gathered, to the network, and from there down again.
 */
public final class CollNetKernel extends BlocksKernel<CollNetBlock> {
    private final CollNetGeometry geometry;
    private boolean isRegistered;
    private boolean isRedoable;
    private volatile ProxyException lost;

    private CollNetKernel(int nRanks, CollNetGeometry geometry, CollNetBlock[] blocks) {
        super(nRanks, ", by the network", blocks);
        this.geometry = geometry;
    }

    private static CollNetKernel of(CollNetShape shape, List<CollNetLane> lanes, Reductions reductions, Zeros zeros) {
        CollNetGeometry geometry = new CollNetGeometry(shape);
        return new CollNetKernel(shape.nRanks(), geometry, lanes.stream()
                .map(lane -> new CollNetBlock(shape, geometry, lane, reductions, zeros)).toArray(CollNetBlock[]::new));
    }

    /**
     * Kernels that take turns, and were not prepared.
     *
     * @param count how many
     * @param shape of this rank's communicator
     * @param lanes that this rank is on
     * @return for one stream
     */
    public static CollNetKernel[] create(int count, CollNetShape shape, List<CollNetLane> lanes) {
        Reductions reductions = new Reductions(shape.nRanks());
        Zeros zeros = new Zeros();
        return Stream.generate(() -> of(shape, lanes, reductions, zeros)).limit(count)
                .toArray(CollNetKernel[]::new);
    }

    /**
     * Whether the next launch has the network take {@link #work()}'s memory as it is; the launching thread.
     *
     * @param isIt true only of a node's only rank
     */
    public void registered(boolean isIt) {
        isRegistered = isIt;
    }

    /**
     * Whether the next launch ends, and no more, if a connection is lost: then the ranks do it again.
     *
     * @param isIt false for a kernel whose end would be the stream's
     */
    public void redoable(boolean isIt) {
        isRedoable = isIt;
        lost = null;
    }

    /**
     * Has the kernel end unfinished; one that is redoable. Any thread.
     *
     * @param cause why
     */
    public void giveUp(ProxyException cause) {
        lost = cause;
    }

    /**
     * Why the last launch did not finish; after it has ended.
     *
     * @return null if it did
     */
    public ProxyException lost() {
        return lost;
    }

    /**
     * Sets the kernel up for {@link #work()}; the launching thread, before the launch.
     *
     * @param stepBytes that every slot holds
     * @return how it is cut, for the proxy's ops
     */
    public CollNetGeometry prepare(long stepBytes) {
        geometry.compute(work().function(), work().bytes(), stepBytes);
        for (CollNetBlock block : blocks) {
            block.prepare(work(), isRegistered);
        }
        return geometry;
    }

    @Override
    public int doWork() {
        if (lost == null) {
            return super.doWork();
        }
        retire();
        return 1;
    }

    @Override
    public ProxyException whyHopeless() {
        ProxyException why = super.whyHopeless();
        if (why != null && isRedoable) {
            lost = why;
            return null;
        }
        return why;
    }
}
