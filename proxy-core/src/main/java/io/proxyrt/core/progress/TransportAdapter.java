/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

/**
 * A network adapter that a transport uses. Immutable.
 *
 * @param name      for people, such as {@code mlx5_0}, {@code eth0}
 * @param pciPath   in sysfs; empty if it is virtual
 * @param speedMbps megabits per second; 0 if that is not known
 * @param isGdr     whether it reaches the memory of GPUs
 */
public record TransportAdapter(String name, String pciPath, int speedMbps, boolean isGdr) {
    /**
     * Of which no more is known.
     *
     * @param name    for people
     * @param pciPath in sysfs; empty if it is virtual
     */
    public TransportAdapter(String name, String pciPath) {
        this(name, pciPath, 0, false);
    }
}
