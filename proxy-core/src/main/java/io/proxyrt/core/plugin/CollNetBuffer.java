/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

/**
 * Memory of a collective.
 *
 * @param address where it begins
 * @param mhandle as {@link CollNetLibrary#regMr} gave it
 */
public record CollNetBuffer(long address, long mhandle) {
}
