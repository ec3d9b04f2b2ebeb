/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.spi;

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
}
