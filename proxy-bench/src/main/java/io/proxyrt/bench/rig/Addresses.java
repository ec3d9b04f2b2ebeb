/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/** Addresses of services as words, for other processes. */
final class Addresses {
    private static final String UNIX = "unix:";

    private Addresses() {
    }

    static String format(SocketAddress address) {
        return address instanceof InetSocketAddress internet ? Integer.toString(internet.getPort())
                : UNIX + ((UnixDomainSocketAddress) address).getPath();
    }

    static SocketAddress parse(String word) {
        return word.startsWith(UNIX) ? UnixDomainSocketAddress.of(word.substring(UNIX.length()))
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(word));
    }
}
