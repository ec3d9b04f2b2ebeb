/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Values that everything else speaks in: results, exceptions, NCCL's enums, the id of a peer.
 *
 * <p>Data path calls return an {@code int}: greater than zero for work done, zero for none, a negated
 * {@link io.proxyrt.core.ProxyResult} code for an error. Control path calls throw the unchecked
 * {@link io.proxyrt.core.ProxyException}.
 */
package io.proxyrt.core;

