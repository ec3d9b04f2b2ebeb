/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.spi;

import io.proxyrt.core.progress.NetworkProvider;

/** Makes a network, which {@code proxyrt.net} calls by its name; found by {@link java.util.ServiceLoader}. */
public interface NetPluginProvider extends NetworkProvider<NetPlugin> {
}
