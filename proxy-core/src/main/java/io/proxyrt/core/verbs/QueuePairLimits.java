/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

/**
 * What a queue pair can bear: {@code ibv_qp_cap}.
 *
 * @param sends       work requests that may be outstanding in the send queue
 * @param receives    work requests that may be outstanding in the receive queue
 * @param sges        pieces of memory in one work request
 * @param inlineBytes most bytes that a send may carry inline
 */
public record QueuePairLimits(int sends, int receives, int sges, int inlineBytes) {
}
