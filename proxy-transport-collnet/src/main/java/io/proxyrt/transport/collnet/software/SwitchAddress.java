/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.collnet.CollNetOptions;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a switch is, as the user wrote it.
 *
 * @param host name, or digits without brackets
 * @param port at which it listens
 */
record SwitchAddress(String host, int port) {
    static final String LOOPBACK = "127.0.0.1";
    private static final int MAX_PORT = 0xffff;
    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9a-fA-F:.%\\w]+)]|([^\\s:\\[\\]]+)):(\\d{1,5})");

    /**
     * Those of {@link CollNetOptions#SWITCH}.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if one is no address
     */
    static List<SwitchAddress> list(String text) {
        return Arrays.stream(text.split(",")).map(String::strip).filter(each -> !each.isEmpty())
                .map(SwitchAddress::parse).toList();
    }

    static SwitchAddress ofLoopback(int port) {
        return new SwitchAddress(LOOPBACK, port);
    }

    private static SwitchAddress parse(String text) {
        Matcher parts = FORM.matcher(text);
        int port = parts.matches() ? Integer.parseInt(parts.group(3)) : 0;
        if (port < 1 || port > MAX_PORT) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, CollNetOptions.SWITCH + ": '" + text
                    + "' is no address of a switch; list host:port, such as 10.0.0.1:4791,[fe80::1]:4791");
        }
        String host = parts.group(1) == null ? parts.group(2) : parts.group(1);
        if (isWildcard(host)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, CollNetOptions.SWITCH + ": '" + text
                    + "' is a wildcard, at which a switch may listen; list an address at which each rank reaches it");
        }
        return new SwitchAddress(host, port);
    }

    private static boolean isWildcard(String host) {
        try {
            return InetAddress.ofLiteral(host).isAnyLocalAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
