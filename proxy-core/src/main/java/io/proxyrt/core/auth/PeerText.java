/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.regex.Pattern;

/** How peers, and texts that they send, read in messages and in a log. Any thread. */
public final class PeerText {
    /** Would forge lines of a log, or show what is not there. */
    private static final Pattern CONTROLS = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+");

    private PeerText() {
    }

    /**
     * A socket's address in digits. Asks no name service.
     *
     * @param address of either end
     * @return such as {@code 127.0.0.1:4711}, {@code [fe80:0:0:0:0:0:0:1]:4711}, {@code name:4711} or a path
     */
    public static String address(SocketAddress address) {
        if (!(address instanceof InetSocketAddress internet)) {
            return String.valueOf(address);
        }
        String host = internet.isUnresolved() ? internet.getHostString() : internet.getAddress().getHostAddress();
        return (internet.isUnresolved() || host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + internet.getPort();
    }

    /**
     * What a peer wrote, on one line.
     *
     * @param text not to be trusted
     * @return the text with a space for each run of control and format characters
     */
    public static String line(String text) {
        return CONTROLS.matcher(text).replaceAll(" ");
    }
}
