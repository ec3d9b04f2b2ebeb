/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/**
 * A call that algorithm and protocol are wanted for.
 *
 * @param bytes   of the largest buffer
 * @param pipeOps how many calls of a group are carried out one behind the other; 1 for a call alone
 * @param type    of the elements
 */
public record CollInfo(long bytes, int pipeOps, DataType type) {
    /**
     * Checks the values.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there are less than 0 bytes or no calls
     */
    public CollInfo {
        if (bytes < 0 || pipeOps < 1) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, pipeOps + " calls of " + bytes
                    + " bytes; must be 1 or more, of 0 bytes or more");
        }
    }

    /**
     * A call alone, of elements that lose nothing.
     *
     * @param bytes of the largest buffer
     * @return of 32-bit floats
     */
    public static CollInfo of(long bytes) {
        return new CollInfo(bytes, 1, DataType.FLOAT32);
    }
}
