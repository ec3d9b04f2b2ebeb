/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.spi;

import io.proxyrt.core.config.ProxyConfig;

/** Makes a network; found by {@link java.util.ServiceLoader}. Loading it touches no native code and no device. */
public interface CollNetPluginProvider {
    /**
     * What {@code proxyrt.collnet} calls the network; case does not matter.
     *
     * @return such as {@code Switch}
     */
    String name();

    /**
     * Which network is tried first when none is asked for.
     *
     * @return the greatest goes first; the switch in software has 0
     */
    int priority();

    /**
     * Looks at the host and makes the network of one runtime. May take as long as looking at devices takes.
     *
     * @param config effective settings
     * @param rank   of the runtime, for messages
     * @return owned by the caller; one without devices tells the reason in {@link CollNetPlugin#describe()}
     * @throws io.proxyrt.core.ProxyException if the network cannot be used on this host at all
     */
    CollNetPlugin create(ProxyConfig config, int rank);
}
