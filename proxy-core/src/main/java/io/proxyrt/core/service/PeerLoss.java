/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.ProxyException;

/**
 * A peer that is there no more.
 *
 * @param cause   names it, and says what became of it
 * @param hasDied whether that is an error by itself; who left may have done all its part
 */
record PeerLoss(ProxyException cause, boolean hasDied) {
}
