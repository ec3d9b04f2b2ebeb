/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.core.CollFunction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Which choices of kernels of the host to look at, the same at all ranks.
 *
 * @param function  that is called
 * @param sizes     bytes of a call; of all-gathers and reduce-scatters those of one rank's part
 * @param transport between the ranks: SHM or NET
 * @param measuring how long to measure, the last round to its end; empty if only the choice is wanted
 */
public record ChoicePlan(CollFunction function, List<Long> sizes, String transport, Optional<Duration> measuring) {
    /**
     * Copies the sizes.
     */
    public ChoicePlan {
        sizes = List.copyOf(sizes);
    }
}
