/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.SocketOptions;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ports that listeners may take.
 *
 * @param first 0 for any that is free
 * @param last  included
 */
record SocketPorts(int first, int last) {
    static final SocketPorts ANY = new SocketPorts(0, 0);
    private static final Pattern FORM = Pattern.compile("(\\d{1,5})-(\\d{1,5})");
    private static final int MAX_PORT = 65_535;
    private static final int BACKLOG = 16_384;

    static SocketPorts parse(String range) {
        if (range.isBlank()) {
            return ANY;
        }
        Matcher numbers = FORM.matcher(range.strip());
        if (numbers.matches()) {
            int first = Integer.parseInt(numbers.group(1));
            int last = Integer.parseInt(numbers.group(2));
            if (first > 0 && first <= last && last <= MAX_PORT) {
                return new SocketPorts(first, last);
            }
        }
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, SocketOptions.PORTS + " is '" + range
                + "': must be two ports, the smaller first, such as 31000-31999");
    }

    boolean isFixed() {
        return first > 0;
    }

    /** Binds to the first free port from a random one on: many ranks of a host look for one at the same time. */
    void bind(ServerSocketChannel server, InetAddress address) throws IOException {
        int count = last - first + 1;
        int start = ThreadLocalRandom.current().nextInt(count);
        for (int i = 0; i < count; i++) {
            try {
                server.bind(new InetSocketAddress(address, first + (start + i) % count), BACKLOG);
                return;
            } catch (BindException e) {
                if (i == count - 1) {
                    throw e;
                }
            }
        }
    }

    @Override
    public String toString() {
        return isFixed() ? first + "-" + last : "any that is free";
    }
}
