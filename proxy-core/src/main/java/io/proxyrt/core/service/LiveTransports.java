/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyTransport;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The transports that have connections which the proxy moves data for: those, and no others, are polled and slept in.
 * A runtime has every transport there is, most of them idle. The service thread changes it, any thread reads.
 */
public final class LiveTransports {
    private final Map<ProxyTransport, Integer> connections = new LinkedHashMap<>();
    private volatile ProxyTransport[] live = {};

    LiveTransports() {
    }

    void add(ProxyConnection connection) {
        change(connection, 1);
    }

    void remove(ProxyConnection connection) {
        change(connection, -1);
    }

    /**
     * Ahead of a pass over ops. Progress thread.
     *
     * @param ops groups of them
     */
    public void poll(int ops) {
        for (ProxyTransport transport : live) {
            transport.poll(ops);
        }
    }

    /**
     * Where a thread that drives everything can sleep until data come: all ops wait behind the oldest.
     *
     * @param oldest the transport of the oldest op; null if there is none
     * @return null if it can only sleep for a time
     */
    public ProxyTransport waitable(ProxyTransport oldest) {
        if (oldest != null && oldest.isWaitable()) {
            return oldest;
        }
        for (ProxyTransport transport : live) {
            if (transport.isWaitable()) {
                return transport;
            }
        }
        return null;
    }

    private void change(ProxyConnection connection, int by) {
        ProxyTransport transport = connection.transport();
        if (transport.progress(connection.direction()) == null) {
            return;
        }
        int count = connections.merge(transport, by, Integer::sum);
        if (count == 0) {
            connections.remove(transport);
        }
        if (count == 0 || count == by) {
            live = connections.keySet().toArray(ProxyTransport[]::new);
        }
    }
}
