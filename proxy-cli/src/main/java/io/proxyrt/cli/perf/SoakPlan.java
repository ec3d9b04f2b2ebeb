/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import java.time.Duration;

/**
 * How long to soak, and with what. Rank 0's counts.
 *
 * @param seed       of all that is random
 * @param firstRound to begin with
 * @param rounds     at most; {@link Long#MAX_VALUE} if only the time counts
 * @param duration   at most
 * @param interval   from one line of progress to the next
 * @param maxBytes   of an operation, equal at all ranks
 */
public record SoakPlan(long seed, long firstRound, long rounds, Duration duration, Duration interval, long maxBytes) {
}
