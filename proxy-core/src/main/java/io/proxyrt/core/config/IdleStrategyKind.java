/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

/** What threads do while nothing moves: {@link CoreOptions#IDLE_STRATEGY}. */
public enum IdleStrategyKind {
    /** A fixed number of spins, then of yields, then parks. */
    BACKOFF,
    /** Sleeps until shortly before the next burst is due. */
    LEARN
}
