/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What plugs into the runtime.
 *
 * <p>A {@link io.proxyrt.core.spi.ProxyTransport} moves bytes between ranks. Set-up goes through the service: the
 * client half encodes a request, RPC carries it, the proxy half works on it until it stops returning IN_PROGRESS. Data
 * go through {@link io.proxyrt.core.spi.ProxyProgress}. A {@link io.proxyrt.core.spi.ServiceEndpoint} is the wire under
 * that RPC. Providers of all of them are found by {@link java.util.ServiceLoader}; core never names one.
 */
package io.proxyrt.core.spi;
