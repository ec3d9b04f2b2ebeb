/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import java.net.InetSocketAddress;

/** Socket addresses for people. */
final class Addresses {
    private Addresses() {
    }

    /** The address as digits and a port, such as {@code 127.0.0.1:4711}; never asks a name service. */
    static String text(InetSocketAddress address) {
        if (address.isUnresolved()) {
            return address.getHostString() + ":" + address.getPort();
        }
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }
}
