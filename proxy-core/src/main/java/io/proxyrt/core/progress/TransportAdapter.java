/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

/**
 * A network adapter that a transport uses. Immutable.
 *
 * @param name    for people, such as {@code mlx5_0}, {@code eth0}
 * @param pciPath in sysfs; empty if it is virtual
 */
public record TransportAdapter(String name, String pciPath) {
}
