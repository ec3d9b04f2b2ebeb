/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.Locale;

/**
 * How many of the adapters that are nearest to a GPU its channels take in turn: NCCL's {@code NCCL_NETDEVS_POLICY}.
 * Immutable.
 *
 * @param isShared whether the GPUs that are nearest to them share them out
 * @param most     of them, at least 1
 */
public record NetDevsPolicy(boolean isShared, int most) {
    /** The GPU's share. */
    public static final NetDevsPolicy AUTO = new NetDevsPolicy(true, Integer.MAX_VALUE);
    /** All. */
    public static final NetDevsPolicy ALL = new NetDevsPolicy(false, Integer.MAX_VALUE);
    private static final String MAX = "MAX:";

    /** Checks the number. */
    public NetDevsPolicy {
        if (most < 1) {
            throw new IllegalArgumentException("must have a number of adapters from 1 on, and has " + most);
        }
    }

    /**
     * Reads it.
     *
     * @param text as NCCL takes it, in any case
     * @return what it says
     * @throws IllegalArgumentException if it says nothing of the kind
     */
    public static NetDevsPolicy parse(String text) {
        String upper = text.strip().toUpperCase(Locale.ROOT);
        return switch (upper) {
            case "AUTO" -> AUTO;
            case "ALL" -> ALL;
            default -> {
                if (!upper.startsWith(MAX)) {
                    throw new IllegalArgumentException("must be AUTO, ALL or MAX:N with N from 1 on");
                }
                yield new NetDevsPolicy(false, number(upper.substring(MAX.length())));
            }
        };
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must have a number behind " + MAX + ", and has '" + text + "'", e);
        }
    }

    /** Of adapters that are equally near to so many GPUs. */
    int perGpu(int adapters, int gpus) {
        return isShared ? Math.ceilDiv(adapters, Math.max(1, gpus)) : Math.min(most, adapters);
    }

    /** As it is read. */
    @Override
    public String toString() {
        return isShared ? "AUTO" : most == Integer.MAX_VALUE ? "ALL" : MAX + most;
    }
}
