/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import io.proxyrt.core.ProxyException;

/** Knows which ranks are gone. */
@FunctionalInterface
public interface WaitJudge {
    /**
     * Why a kernel waits in vain.
     *
     * @param peer     the rank it waits for
     * @param isCredit whether it wants to send to that rank, or else has it send
     * @return null if it may still get what it waits for
     */
    ProxyException why(int peer, boolean isCredit);
}
