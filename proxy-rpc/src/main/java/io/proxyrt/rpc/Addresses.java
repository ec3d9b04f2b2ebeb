/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.auth.PeerText;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Socket addresses for people. */
final class Addresses {
    private Addresses() {
    }

    /** Where an accepted connection comes from; a caller's end of a Unix socket has no name. */
    static String ofCaller(SocketAddress address) {
        return address instanceof InetSocketAddress ? PeerText.address(address) : "the Unix socket";
    }

    /**
     * A service's address as both ends of a connection to it know it, for proofs. A zone of IPv6 is the end's own
     * affair, so it is left out.
     */
    static String dialled(SocketAddress service) {
        String text = PeerText.address(service);
        int zone = service instanceof InetSocketAddress ? text.indexOf('%') : -1;
        return zone < 0 ? text : text.substring(0, zone) + text.substring(text.indexOf(']'));
    }
}
