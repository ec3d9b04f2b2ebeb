/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.channels.SocketChannel;

/** An attempt to make a control connection. Service thread. */
public final class ControlDial implements AutoCloseable {
    private final SocketHandle handle;
    private final SocketConnector connector;

    ControlDial(SocketHandle handle, SocketConnector connector) {
        this.handle = handle;
        this.connector = connector;
    }

    /**
     * Goes on. Does not block; to be called again while it returns null.
     *
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if the peer cannot be reached,
     *                        {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    public ControlSocket connect() {
        SocketChannel[] channels = connector.connect();
        return channels == null ? null : new ControlSocket(channels[0], handle.rank(), connector.peer(),
                connector.session(), handle.token());
    }

    /** Gives up, unless the connection was handed over. Idempotent. */
    @Override
    public void close() {
        connector.close();
    }
}
