/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

/** Whose CPUs the hosts have: what it costs to post to a network, and how fast LL is between hosts. */
public enum CpuVendor {
    /** Intel's, or what is as fast to the models. */
    INTEL,
    /** AMD's. */
    AMD,
    /** Hosts differ. */
    MIXED,
    /** Any other. */
    OTHER
}
