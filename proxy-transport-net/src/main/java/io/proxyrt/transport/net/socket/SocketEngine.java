/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static io.proxyrt.transport.net.socket.SocketChannels.LOG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.StreamSocket;
import io.proxyrt.transport.net.SocketOptions;
import io.proxyrt.transport.net.SocketOptions.Congestion;
import io.proxyrt.transport.net.SocketOptions.Engine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/** Who makes the system calls: Java's channels alone, or the platform beside them for what they do not offer. */
final class SocketEngine {
    /** Every Linux has it, for everyone. */
    private static final String UNPACED = "reno";

    /** Null if channels make all calls. */
    private final Platform platform;
    private final boolean isUnpacing;
    private final String finding;

    private SocketEngine(Platform platform, boolean isUnpacing, String finding) {
        this.platform = platform;
        this.isUnpacing = isUnpacing;
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
            return new SocketEngine(null, false, "the JDK's channels" + advice);
        }
        if (platform.whyNot().isEmpty()) {
            boolean isUnpacing = config.get(SocketOptions.CONGESTION) == Congestion.AUTO;
            return new SocketEngine(platform, isUnpacing, "the JDK's channels, and " + platform.name()
                    + " calls to acknowledge small messages late" + advice
                    + (isUnpacing ? "; " + UNPACED + " within a host, see " + SocketOptions.CONGESTION : ""));
        }
        if (wanted == Engine.NATIVE) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, SocketOptions.ENGINE + " is " + wanted + ", but "
                    + platform.whyNot());
        }
        return new SocketEngine(null, false, "the JDK's channels: " + platform.whyNot() + advice);
    }

    /** A connected socket of the data path, unpaced; the caller's. */
    SocketWire wire(SocketChannel channel) {
        StreamSocket beside = platform == null ? null : beside(channel);
        unpace(channel, beside);
        return new SocketWire(channel, beside);
    }

    /** A connected socket whose calls the channel makes, and which is not paced if both of its ends are here. */
    SocketChannel unpaced(SocketChannel channel) {
        if (isUnpacing) {
            try (StreamSocket beside = beside(channel)) {
                unpace(channel, beside);
            }
        }
        return channel;
    }

    /** One line for people. */
    @Override
    public String toString() {
        return finding;
    }

    /** No other traffic shares the way between two processes of a host, and pacing halves its rate. */
    private void unpace(SocketChannel channel, StreamSocket beside) {
        if (isUnpacing && beside != null && isWithinHost(channel) && !beside.congestionControl(UNPACED)) {
            LOG.debug("{} does not take {}, and keeps the host's congestion control", channel, UNPACED);
        }
    }

    private static boolean isWithinHost(SocketChannel channel) {
        try {
            return isWithinHost((InetSocketAddress) channel.getLocalAddress(),
                    (InetSocketAddress) channel.getRemoteAddress());
        } catch (IOException e) {
            return false;
        }
    }

    static boolean isWithinHost(InetSocketAddress local, InetSocketAddress remote) {
        return remote.getAddress().isLoopbackAddress() || remote.getAddress().equals(local.getAddress());
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
