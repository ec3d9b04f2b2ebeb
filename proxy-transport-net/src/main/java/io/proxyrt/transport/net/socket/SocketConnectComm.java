/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Connects to a handle and says hello; a refused attempt is repeated, each time after a longer wait. */
final class SocketConnectComm implements NetConnectComm {
    private final SocketSettings settings;
    private final SocketReadiness readiness;
    private final SocketHandle handle;
    private SocketChannel channel;
    private ByteBuffer hello;
    private int attempts;
    private long nextAttemptNs = System.nanoTime();

    SocketConnectComm(SocketSettings settings, SocketReadiness readiness, SocketHandle handle) {
        this.settings = settings;
        this.readiness = readiness;
        this.handle = handle;
    }

    @Override
    public NetSendComm connect() {
        try {
            return advance();
        } catch (ConnectException | NoRouteToHostException e) {
            retryLater(e);
            return null;
        } catch (IOException | UnsupportedOperationException e) {
            close();
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot connect to " + peer() + ": " + e, e);
        }
    }

    @Override
    public void close() {
        SocketChannels.close(channel);
        channel = null;
    }

    private NetSendComm advance() throws IOException {
        if (channel == null && !start()) {
            return null;
        }
        if (!channel.isConnected() && !channel.finishConnect()) {
            return null;
        }
        channel.write(hello);
        if (hello.hasRemaining()) {
            return null;
        }
        NetSendComm comm = new SocketSendComm(channel, peer(), readiness);
        channel = null;
        return comm;
    }

    private boolean start() throws IOException {
        if (System.nanoTime() - nextAttemptNs < 0) {
            return false;
        }
        attempts++;
        hello = SocketHello.encode(settings.rank(), handle.token());
        channel = SocketChannel.open(SocketChannels.family(handle.address().getAddress()));
        settings.applyTo(channel);
        channel.connect(handle.address());
        return true;
    }

    private void retryLater(IOException cause) {
        close();
        if (attempts > settings.retryCount()) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR,
                    "cannot connect to " + peer() + " after " + attempts + " attempts: " + cause.getMessage(), cause);
        }
        nextAttemptNs = System.nanoTime() + settings.retrySleepNs() * attempts;
    }

    private String peer() {
        return SocketChannels.peer(handle.rank(), handle.address());
    }
}
