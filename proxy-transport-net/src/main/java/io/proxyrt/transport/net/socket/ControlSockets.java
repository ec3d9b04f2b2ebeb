/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.transport.net.SocketOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;

/**
 * TCP connections of a network whose data go another way: they carry what its ends have to tell each other before, and
 * tell by their end that the peer is gone. They are made as those of the socket network: by a handle with a token, of
 * which the hello is a proof. Service thread.
 */
public final class ControlSockets {
    private static final SocketTerms TERMS = new SocketTerms(0, 1, 0);

    private final SocketSettings settings;
    private final InterfaceChoice interfaces;

    private ControlSockets(SocketSettings settings, InterfaceChoice interfaces) {
        this.settings = settings;
        this.interfaces = interfaces;
    }

    /**
     * As the options of the socket network say.
     *
     * @param config effective settings
     * @param rank   of the runtime, which peers see
     * @return no socket is open yet
     */
    public static ControlSockets of(ProxyConfig config, int rank) {
        return new ControlSockets(SocketSettings.of(config, rank), InterfaceChoice.onThisHost(config));
    }

    /**
     * How long a connection may take to be set up.
     *
     * @return in nanoseconds
     */
    public long timeoutNs() {
        return settings.setUp().connectTimeoutNs();
    }

    /**
     * Waits for connections, at the first interface that the socket network would use.
     *
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there is none, or the system refuses
     */
    public ControlListener listen() {
        if (interfaces.chosen().isEmpty()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "no interface can be used to set connections up: "
                    + String.join("; ", interfaces.findings()) + "; see " + SocketOptions.IFNAME);
        }
        InetAddress address = interfaces.chosen().getFirst().address();
        try {
            return listener(SocketCandidates.listen(settings, address));
        } catch (IOException | UnsupportedOperationException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot listen on " + address.getHostAddress() + ", "
                    + settings.ports() + ": " + e + DescriptorLimit.advice(e, ""), e);
        }
    }

    private ControlListener listener(ServerSocketChannel server) throws IOException {
        try {
            return new ControlListener(settings, server, new SocketHandle(settings.rank(), SocketToken.random(),
                    (InetSocketAddress) server.getLocalAddress(), 0, TERMS));
        } catch (IOException | RuntimeException | Error e) {
            SocketChannels.close(server);
            throw e;
        }
    }

    /**
     * Begins to connect. Does not block.
     *
     * @param handle as {@link ControlListener#handle} gave it, not to be trusted
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is no such handle
     */
    public ControlDial dial(ByteBuffer handle) {
        SocketHandle decoded = SocketHandle.decode(handle);
        if (!decoded.terms().equals(TERMS)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the handle is of a connection that carries data");
        }
        return new ControlDial(decoded, new SocketConnector(settings, decoded, TERMS));
    }
}
