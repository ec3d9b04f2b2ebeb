/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

/**
 * The sum of all rows.
 *
 * @param failures measurements that had something wrong
 * @param busBw    mean of all measurements, GB/s
 */
record PerfResult(int failures, double busBw) {
}
