/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

/**
 * What of a collective one call carries: a window of all ranks' parts, one behind the other.
 *
 * @param bytesPerRank of each rank's part
 * @param offset       of the window's first byte
 * @param bytes        of the window
 */
public record CollNetWindow(long bytesPerRank, long offset, long bytes) {
}
