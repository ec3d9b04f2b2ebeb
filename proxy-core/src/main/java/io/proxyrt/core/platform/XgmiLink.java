/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

/**
 * A direct link of AMD's between two GPUs, one way. Immutable.
 *
 * @param from  a GPU
 * @param to    another one
 * @param count how many physical links it bundles, at least 1
 */
public record XgmiLink(PciAddress from, PciAddress to, int count) {
}
