/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.DescriptorLimit;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.channels.SocketChannel;
import java.util.UUID;

/**
 * Connects to a handle, one socket after the other, data sockets first, and says hello on each; a refused attempt is
 * repeated, each time after a longer wait.
 */
final class SocketConnector implements AutoCloseable {
    private final SocketSettings settings;
    private final SocketHandle handle;
    private final SocketTerms terms;
    private final UUID session = UUID.randomUUID();
    private final SocketChannel[] channels;
    private int connected;
    private SocketDial dial;
    private int attempts;
    private long nextAttemptNs = System.nanoTime();

    /** Terms hold for the connector. */
    SocketConnector(SocketSettings settings, SocketHandle handle, SocketTerms terms) {
        this.settings = settings;
        this.handle = handle;
        this.terms = terms;
        this.channels = new SocketChannel[terms.sockets() + 1];
    }

    UUID session() {
        return session;
    }

    /** Goes on, without blocking. Returns the sockets, which are the caller's; null if they are not all there. */
    SocketChannel[] connect() {
        try {
            while (connected < channels.length) {
                if (!advance()) {
                    return null;
                }
            }
        } catch (ConnectException | NoRouteToHostException e) {
            retryLater(e);
            return null;
        } catch (IOException | UnsupportedOperationException e) {
            close();
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot connect to " + peer() + ": " + e
                    + DescriptorLimit.advice(e, ""), e);
        }
        connected = 0;
        return channels.clone();
    }

    @Override
    public void close() {
        dropDial();
        for (int i = 0; i < connected; i++) {
            SocketChannels.close(channels[i]);
        }
        connected = 0;
    }

    String peer() {
        return SocketChannels.peer(handle.rank(), handle.address());
    }

    private boolean advance() throws IOException {
        if (dial == null) {
            if (System.nanoTime() - nextAttemptNs < 0) {
                return false;
            }
            attempts++;
            SocketHello hello = new SocketHello(settings.rank(), session, connected, terms, 0);
            dial = new SocketDial(settings, handle.address(), hello.encode(handle.token()));
        }
        if (!dial.advance()) {
            return false;
        }
        channels[connected++] = dial.take();
        dial = null;
        attempts = 0;
        return true;
    }

    private void dropDial() {
        if (dial != null) {
            dial.close();
            dial = null;
        }
    }

    private void retryLater(IOException cause) {
        dropDial();
        if (attempts > settings.setUp().retryCount()) {
            int failed = attempts;
            close();
            throw new ProxyException(ProxyResult.REMOTE_ERROR,
                    "cannot connect to " + peer() + " after " + failed + " attempts: " + cause.getMessage(), cause);
        }
        nextAttemptNs = System.nanoTime() + settings.setUp().retrySleepNs() * attempts;
    }
}
