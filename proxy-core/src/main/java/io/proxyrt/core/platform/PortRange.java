/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ports that a listener may take.
 *
 * @param first 0 for any that is free
 * @param last  included
 */
public record PortRange(int first, int last) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,5})-(\\d{1,5})");
    private static final int MAX_PORT = 65_535;

    /**
     * One port.
     *
     * @param port 0 for any that is free
     * @return the range
     */
    public static PortRange of(int port) {
        return new PortRange(port, port);
    }

    /**
     * Reads what a user wrote.
     *
     * @param option  that says so, for messages
     * @param text    two ports, or blank for any that is free
     * @param example of two ports, for people
     * @return the range
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the text is something else
     */
    public static PortRange parse(Object option, String text, String example) {
        if (text.isBlank()) {
            return of(0);
        }
        Matcher numbers = FORM.matcher(text.strip());
        if (numbers.matches()) {
            int first = Integer.parseInt(numbers.group(1));
            int last = Integer.parseInt(numbers.group(2));
            if (first > 0 && first <= last && last <= MAX_PORT) {
                return new PortRange(first, last);
            }
        }
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, option + " is '" + text
                + "': must be two ports, the smaller first, such as " + example);
    }

    /**
     * Whether the user named ports.
     *
     * @return false if any port that is free will do
     */
    public boolean isFixed() {
        return first > 0;
    }

    /**
     * How many ports there are.
     *
     * @return at least 1
     */
    public int count() {
        return last - first + 1;
    }

    /**
     * Binds to the first port that is free. Does not block.
     *
     * @param server  not bound yet
     * @param address of this host
     * @param backlog connections that may wait to be accepted
     * @param start   how many ports to begin behind the first one; those before it are tried last
     * @throws IOException {@link BindException} if no port is free
     */
    public void bind(ServerSocketChannel server, InetAddress address, int backlog, int start) throws IOException {
        for (int i = 0; ; i++) {
            try {
                server.bind(new InetSocketAddress(address, first + (start + i) % count()), backlog);
                return;
            } catch (BindException e) {
                if (i == count() - 1) {
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
