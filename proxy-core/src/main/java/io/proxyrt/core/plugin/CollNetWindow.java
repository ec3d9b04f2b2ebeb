/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

/**
 * What of a collective one call carries.
 *
 * @param bytesPerRank of all of it
 * @param offset       of what is carried, in each rank's bytes
 * @param bytes        that are carried of each rank
 */
public record CollNetWindow(long bytesPerRank, long offset, long bytes) {
}
