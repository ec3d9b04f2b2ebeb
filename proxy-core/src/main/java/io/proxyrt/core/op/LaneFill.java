/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/**
 * How full a lane of an ops pool is.
 *
 * @param lane      its number
 * @param capacity  ops that it holds
 * @param pending   ops that were posted and not fetched
 * @param inFlight  ops that were fetched and have not ended
 * @param posterPid process of the poster; 0 if it has none
 */
public record LaneFill(int lane, int capacity, long pending, long inFlight, long posterPid) {
}
