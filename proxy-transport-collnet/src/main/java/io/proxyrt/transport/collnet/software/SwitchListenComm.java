/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;

/**
 * A key for the group, if this should be participant 0; and where no switch runs by itself, a listening socket for the
 * one that participant 0 will have. No participant is served before {@link SwitchNet#connect} takes the socket.
 */
final class SwitchListenComm implements CollNetListenComm {
    /** The others may come before the switch runs. */
    private static final int BACKLOG = 4096;

    private final SwitchHandle handle;
    /** Null if a switch runs by itself, or the socket was taken. */
    private ServerSocketChannel server;

    private SwitchListenComm(SwitchHandle handle, ServerSocketChannel server) {
        this.handle = handle;
        this.server = server;
    }

    static SwitchListenComm withoutSocket(HostIdentity host) {
        return new SwitchListenComm(SwitchHandle.random(host, 0), null);
    }

    static SwitchListenComm withSocket(HostIdentity host) {
        ServerSocketChannel server = null;
        try {
            server = ServerSocketChannel.open(StandardProtocolFamily.INET);
            server.bind(new InetSocketAddress(InetAddress.ofLiteral(SwitchAddress.LOOPBACK), 0), BACKLOG);
            int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
            return new SwitchListenComm(SwitchHandle.random(host, port), server);
        } catch (IOException | UnsupportedOperationException e) {
            SwitchSettings.close(server);
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot listen on the loopback interface for an "
                    + "embedded switch: " + e + DescriptorLimit.advice(e, ""), e);
        }
    }

    @Override
    public ByteBuffer handle() {
        return handle.encode();
    }

    boolean is(SwitchHandle other) {
        return handle.equals(other);
    }

    /** The listening socket, which is the caller's from now on; null if there is none, or no longer. */
    ServerSocketChannel take() {
        ServerSocketChannel taken = server;
        server = null;
        return taken;
    }

    @Override
    public void close() {
        SwitchSettings.close(take());
    }
}
