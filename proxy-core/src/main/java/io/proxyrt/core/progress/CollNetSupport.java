/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.util.Arrays;
import java.util.function.BiPredicate;

/**
 * What a network carries out by itself: NCCL's {@code collNetSupportMatrix}, and how many of its adapters do.
 * Immutable.
 *
 * @param devices    adapters that carry out collectives; 0 if none does
 * @param reductions a bit for each type and operator, as {@link #of} sets them, and one for windows
 */
public record CollNetSupport(int devices, long reductions) {
    /** Of a transport that carries messages, and nothing else. */
    public static final CollNetSupport NONE = new CollNetSupport(0, 0);

    private static final int OPS = RedOp.values().length;
    private static final long WINDOWS = 1L << 63;

    /**
     * Of adapters that say what they reduce, and that carry out all-gathers and reduce-scatters, too.
     *
     * @param devices how many there are
     * @param reduces what they say: {@code reduceSupport}
     * @return the support of all of them
     */
    public static CollNetSupport of(int devices, BiPredicate<DataType, RedOp> reduces) {
        long bits = WINDOWS;
        for (DataType type : DataType.values()) {
            bits |= Arrays.stream(RedOp.values()).filter(op -> reduces.test(type, op))
                    .mapToLong(op -> bit(type, op)).sum();
        }
        return new CollNetSupport(devices, bits);
    }

    /**
     * Whether the network reduces so.
     *
     * @param type of the elements
     * @param op   the reduction
     * @return false if the ranks have to
     */
    public boolean reduces(DataType type, RedOp op) {
        return (reductions & bit(type, op)) != 0;
    }

    /**
     * Whether the network carries out all-gathers and reduce-scatters, by windows.
     *
     * @return false if there is all-reduce alone
     */
    public boolean hasWindows() {
        return (reductions & WINDOWS) != 0;
    }

    /**
     * The same of a network that has all-reduce alone.
     *
     * @return without windows
     */
    public CollNetSupport allReduceAlone() {
        return new CollNetSupport(devices, reductions & ~WINDOWS);
    }

    /**
     * What this network and another one both carry out.
     *
     * @param other of another rank
     * @return the smaller number of devices, and the reductions of both
     */
    public CollNetSupport and(CollNetSupport other) {
        return new CollNetSupport(Math.min(devices, other.devices), reductions & other.reductions);
    }

    private static long bit(DataType type, RedOp op) {
        return 1L << type.ordinal() * OPS + op.ordinal();
    }
}
