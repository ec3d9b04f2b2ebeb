/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.spi;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.tuner.TunerConstants;

/**
 * What a tuner is told about a communicator.
 *
 * @param commId    that tells it from others
 * @param ranks     of it
 * @param nodes     of it
 * @param constants of the cost model
 */
public record TunerRequest(long commId, int ranks, int nodes, TunerConstants constants) {
    /**
     * Checks the numbers.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there are no nodes, or more than ranks
     */
    public TunerRequest {
        if (nodes < 1 || ranks < nodes) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a tuner of " + ranks + " ranks on " + nodes
                    + " nodes; must be 1 node or more, and 1 rank or more on each");
        }
    }
}
