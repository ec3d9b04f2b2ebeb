/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The runtime and its values. {@link io.proxyrt.core.ProxyState} is where everything starts: it owns the ops pool, the
 * agents and the threads that run them, the transports and the mapped files.
 *
 * <p>Data path calls return an {@code int}: greater than zero for work done, zero for none, a negated
 * {@link io.proxyrt.core.ProxyResult} code for an error. Control path calls throw the unchecked
 * {@link io.proxyrt.core.ProxyException}. What fails on the runtime's own threads is kept in
 * {@link io.proxyrt.core.AsyncResult}, as RCCL keeps it, and ends every wait.
 */
package io.proxyrt.core;
