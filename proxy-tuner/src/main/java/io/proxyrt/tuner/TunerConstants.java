/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.Arrays;

/**
 * The numbers of NCCL's cost model that a tuner may change: {@code ncclTunerConstants_v5_t}, which version 6 of the
 * interface has too. Values are in its order; latencies in µs, bandwidths in GB/s. Immutable.
 */
public final class TunerConstants {
    /** How many numbers there are. */
    public static final int COUNT = 144;
    private static final int WAYS = Way.all().size();
    private static final int AFTER_LATENCIES = WAYS * (1 + Link.values().length);

    private final double[] values;

    private TunerConstants(double[] values) {
        this.values = values;
    }

    /** What a step goes over, numbered as {@code NCCL_HW_*}. */
    public enum Link {
        /** Between GPUs: NVLink, or xGMI. */
        NVLINK,
        /** Within a node, by way of PCI. */
        PCI,
        /** Between nodes. */
        NET
    }

    /** GPUs by compute capability, numbered as {@code NCCL_*_COMPCAP_IDX}. */
    public enum Generation {
        /** Below 8.0. */
        VOLTA,
        /** From 8.0 on. */
        AMPERE,
        /** From 9.0 on. */
        HOPPER,
        /** From 10.0 on. */
        BLACKWELL
    }

    /** What has a limit for each generation and number of nodes, in the order of the struct. */
    public enum Limit {
        /** LL's bandwidth. */
        LL,
        /** LL128's on a channel of a ring. */
        RING_LL128,
        /** LL128's on a channel of a tree. */
        TREE_LL128,
        /** A tree's channel. */
        TREE,
        /** A channel of NVLS with trees. */
        NVLS_TREE
    }

    /**
     * From numbers.
     *
     * @param values in the order of the struct; copied
     * @return of these
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there are not {@link #COUNT} of them, or one is
     *                        less than 0, or no finite number
     */
    public static TunerConstants of(double... values) {
        if (values.length != COUNT) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, values.length + " constants of a tuner; must be "
                    + COUNT);
        }
        for (int i = 0; i < COUNT; i++) {
            if (!(values[i] >= 0) || Double.isInfinite(values[i])) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "constant " + i + " of a tuner is " + values[i]
                        + "; must be 0 or more, and finite");
            }
        }
        return new TunerConstants(values.clone());
    }

    /**
     * All numbers.
     *
     * @return in the order of the struct; the caller's own
     */
    public double[] values() {
        return values.clone();
    }

    /**
     * What every call costs.
     *
     * @param way any
     * @return µs
     */
    public double baseLatency(Way way) {
        return values[way.index()];
    }

    /**
     * What a step costs.
     *
     * @param link that it goes over
     * @param way  any
     * @return µs
     */
    public double stepLatency(Link link, Way way) {
        return values[WAYS * (1 + link.ordinal()) + way.index()];
    }

    /**
     * What a bandwidth is limited to.
     *
     * @param limit      of what
     * @param generation of the GPUs
     * @param nodes      of the communicator
     * @return GB/s
     */
    public double bandwidth(Limit limit, Generation generation, int nodes) {
        int row = limit.ordinal() * Generation.values().length + generation.ordinal();
        return values[AFTER_LATENCIES + 3 * row + Math.min(nodes, 3) - 1];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TunerConstants that && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }
}
