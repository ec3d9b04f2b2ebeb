/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The runtime as its user sees it. {@link io.proxyrt.core.runtime.ProxyState} is where everything starts: it owns the
 * ops pool, the agents and the threads that run them, the transports and the mapped files.
 * {@link io.proxyrt.core.runtime.Connector} sets up one end of a connection, {@link
 * io.proxyrt.core.runtime.ServiceClient} calls the service of a rank.
 *
 * <p>What fails on the runtime's own threads is kept, as RCCL keeps it, and ends every wait.
 */
package io.proxyrt.core.runtime;

