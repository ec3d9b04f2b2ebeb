/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.util.Locale;

/** Reductions that all devices and networks know, numbered as {@code ncclRedOp_t}. */
public enum RedOp implements ReduceOp {
    /** Sum; integers wrap. */
    SUM,
    /** Product; integers wrap. */
    PROD,
    /** The larger; a NaN on either side gives NaN. */
    MAX,
    /** The smaller; a NaN on either side gives NaN. */
    MIN,
    /** The sum divided by the number of ranks; integers are divided after the sum and truncate towards zero. */
    AVG;

    /**
     * The name nccl-tests prints and takes.
     *
     * @return lower case
     */
    @Override
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
