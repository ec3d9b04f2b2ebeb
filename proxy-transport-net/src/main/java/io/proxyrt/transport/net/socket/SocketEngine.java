/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static io.proxyrt.transport.net.socket.SocketChannels.LOG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.spi.Platform;
import io.proxyrt.core.spi.StreamSocket;
import io.proxyrt.transport.net.SocketOptions;
import io.proxyrt.transport.net.SocketOptions.Engine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/** Who makes the system calls: Java's channels alone, or the platform beside them for what they do not offer. */
final class SocketEngine {
    /** Null if channels make all calls. */
    private final Platform platform;
    private final String finding;

    private SocketEngine(Platform platform, String finding) {
        this.platform = platform;
        this.finding = finding;
    }

    /**
     * The engine that the configuration asks for.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it asks for the platform, and that cannot be used
     */
    static SocketEngine of(ProxyConfig config, Platform platform) {
        Engine wanted = config.get(SocketOptions.ENGINE);
        String advice = "; see " + SocketOptions.ENGINE;
        if (wanted == Engine.NIO) {
            return new SocketEngine(null, "the JDK's channels" + advice);
        }
        if (platform.whyNot().isEmpty()) {
            return new SocketEngine(platform, "the JDK's channels, and " + platform.name()
                    + " calls to acknowledge small messages late" + advice);
        }
        if (wanted == Engine.NATIVE) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, SocketOptions.ENGINE + " is " + wanted + ", but "
                    + platform.whyNot());
        }
        return new SocketEngine(null, "the JDK's channels: " + platform.whyNot() + advice);
    }

    /** A connected socket of the data path; the caller's. */
    SocketWire wire(SocketChannel channel) {
        return new SocketWire(channel, platform == null ? null : beside(channel));
    }

    /** One line for people. */
    @Override
    public String toString() {
        return finding;
    }

    private StreamSocket beside(SocketChannel channel) {
        try {
            return platform.streamSocket((InetSocketAddress) channel.getLocalAddress(),
                    (InetSocketAddress) channel.getRemoteAddress()).orElse(null);
        } catch (IOException e) {
            LOG.debug("a socket whose ends are not known goes without the platform: {}", e.toString());
            return null;
        }
    }
}
