/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

/**
 * What was found for one size, in one of the two placements.
 *
 * @param micros time of one operation
 * @param algBw  bytes per nanosecond of the algorithm, GB/s
 * @param busBw  the same as the hardware's share, GB/s
 * @param wrong  elements and guard words that were wrong; {@link #UNCHECKED} if data were not checked
 */
record Measurement(double micros, double algBw, double busBw, long wrong) {
    static final long UNCHECKED = -1;
}
