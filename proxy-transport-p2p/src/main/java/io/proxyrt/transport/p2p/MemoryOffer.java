/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import java.util.function.BooleanSupplier;

/**
 * Memory that a peer may open.
 *
 * @param name    by which the peer finds it
 * @param isTaken whether the peer needs this rank no more to open it
 */
record MemoryOffer(MemoryName name, BooleanSupplier isTaken) {
}
