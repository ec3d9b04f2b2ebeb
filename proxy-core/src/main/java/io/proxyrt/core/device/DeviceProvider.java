/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.config.ProxyConfig;
import java.util.List;

/**
 * Finds the devices of a kind. A library that is absent, or a host without such a device, is a {@linkplain #whyNot
 * reason}; never an error at start. Any platform thread.
 */
public interface DeviceProvider {
    /**
     * Which kind.
     *
     * @return as in the names of its devices, such as {@code cuda}
     */
    String kind();

    /**
     * Why there is no device. Loads the driver's library when it is asked first.
     *
     * @param config says where the library is, if not where the system finds it
     * @return empty if there is at least one, else the reason for people, with the {@link #version} if there is one
     */
    String whyNot(ProxyConfig config);

    /**
     * What the driver says of itself.
     *
     * @param config as of {@link #whyNot}
     * @return name and versions of the libraries that were found; empty if there are none
     */
    String version(ProxyConfig config);

    /**
     * How many devices this process sees.
     *
     * @param config as of {@link #whyNot}
     * @return 0 if there is none
     */
    int count(ProxyConfig config);

    /**
     * What came of the options that ask for more than the driver, for {@code proxyrt info}. Loads the libraries that
     * takes.
     *
     * @param config as of {@link #whyNot}
     * @return lines of the form {@code subject: what, why}; none if nothing was asked for
     */
    default List<String> explain(ProxyConfig config) {
        return List.of();
    }

    /**
     * Opens a device. Blocks while the driver makes a context, about a tenth of a second.
     *
     * @param ordinal 0 to {@link #count} - 1
     * @param config  of the runtime that uses it
     * @return owned by the caller
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if there is no such
     *                                        device, with the reason
     */
    Device open(int ordinal, ProxyConfig config);
}
