/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/** How the elements of all ranks are combined: {@code ncclRedOp_t}. Immutable; any thread. */
public sealed interface ReduceOp permits RedOp, PreMulSum, UserRedOp {
    /** Every {@link #code} is less. */
    int CODES = 7;

    /**
     * The name for people and command lines.
     *
     * @return lower case
     */
    String label();

    /**
     * What ranks compare, so that those which reduce differently find out.
     *
     * @return 0 to {@link #CODES} - 1
     */
    default int code() {
        return switch (this) {
            case RedOp known -> known.ordinal();
            case PreMulSum ignored -> 5;
            case UserRedOp ignored -> 6;
        };
    }

    /**
     * What proxies and networks are told of it: that which is left to do once ranks have done their part.
     *
     * @return as NCCL tells its networks: a sum, unless it is one of {@link RedOp}
     */
    default RedOp proxied() {
        return this instanceof RedOp known ? known : RedOp.SUM;
    }
}
