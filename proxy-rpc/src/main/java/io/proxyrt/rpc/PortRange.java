/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ports that a service may take; the first free one is taken.
 *
 * @param first  0 for any that is free
 * @param last   included
 * @param option that says so
 */
record PortRange(int first, int last, Option<?> option) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,5})-(\\d{1,5})");
    private static final int MAX_PORT = 65_535;

    static PortRange of(ProxyConfig config) {
        int port = config.get(RpcOptions.PORT);
        String range = config.get(RpcOptions.PORTS);
        if (range.isBlank()) {
            return new PortRange(port, port, RpcOptions.PORT);
        }
        if (port != 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, RpcOptions.PORT + " is " + port + " and "
                    + RpcOptions.PORTS + " is " + range + ": set one of the two");
        }
        Matcher numbers = FORM.matcher(range.strip());
        if (numbers.matches()) {
            int first = Integer.parseInt(numbers.group(1));
            int last = Integer.parseInt(numbers.group(2));
            if (first > 0 && first <= last && last <= MAX_PORT) {
                return new PortRange(first, last, RpcOptions.PORTS);
            }
        }
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, RpcOptions.PORTS + " is '" + range
                + "': must be two ports, the smaller first, such as 30000-30100");
    }

    /** What follows the first port in a message. */
    String rest() {
        return first == last ? "" : "-" + last;
    }

    String advice() {
        return option == RpcOptions.PORT ? "another port, or to 0 for any that is free" : "a range with a free port";
    }
}
