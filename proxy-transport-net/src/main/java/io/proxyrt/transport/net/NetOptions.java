/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.util.List;

/** The options of the NET transport; those of the socket network are in {@link SocketOptions}. */
public final class NetOptions implements OptionsProvider {
    /** Which network to use. */
    public static final Option<String> NET = Option.ofString(
            "net", "NCCL_NET", "", "name of the network; empty: the first that has a device");

    /** For {@link java.util.ServiceLoader}. */
    public NetOptions() {
    }

    @Override
    public List<Option<?>> options() {
        return List.of(NET);
    }
}
