/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.config.ProxyConfig;

/**
 * Makes a network. Loading it touches no native code and no device.
 *
 * @param <N> what it makes
 */
public interface NetworkProvider<N extends Network> {
    /**
     * What options call the network; case does not matter.
     *
     * @return such as {@code Socket} or {@code Switch}
     */
    String name();

    /**
     * Which network is tried first when none is asked for.
     *
     * @return the greatest goes first; those in software that need no hardware have 0
     */
    int priority();

    /**
     * Looks at the host and makes the network of one runtime. May take as long as looking at devices takes.
     *
     * @param config effective settings
     * @param rank   of the runtime, for messages, those that peers see among them
     * @return owned by the caller; one without devices tells the reason in {@link Network#describe()}
     * @throws io.proxyrt.core.ProxyException if the network cannot be used on this host at all
     */
    N create(ProxyConfig config, int rank);
}
