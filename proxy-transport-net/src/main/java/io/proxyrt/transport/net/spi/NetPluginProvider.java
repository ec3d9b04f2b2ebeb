/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.spi;

import io.proxyrt.core.config.ProxyConfig;

/** Makes a network; found by {@link java.util.ServiceLoader}. Loading it touches no native code and no device. */
public interface NetPluginProvider {
    /**
     * What {@code proxyrt.net} calls the network; case does not matter.
     *
     * @return such as {@code Socket}
     */
    String name();

    /**
     * Which network is tried first when none is asked for.
     *
     * @return the greatest goes first; the socket network has 0
     */
    int priority();

    /**
     * Looks at the host and makes the network of one runtime. May take as long as looking at devices takes.
     *
     * @param config effective settings
     * @param rank   of the runtime, which peers see in their messages
     * @return owned by the caller; one without devices tells the reason in {@link NetPlugin#describe()}
     * @throws io.proxyrt.core.ProxyException if the network cannot be used on this host at all
     */
    NetPlugin create(ProxyConfig config, int rank);
}
