/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyRegistration;
import java.nio.ByteBuffer;

/** One end of a connection, and what a client and a service do to it. */
final class TestEnd {
    final TestProxy proxy;
    final ConnectorRequest request;
    final ProxyConnection connection;
    /** What the kernels have; null until connected. */
    DeviceConnection kernelEnd;
    private long lastHandle;

    TestEnd(TestProxy proxy, ConnectorRequest request, ProxyConnection connection) {
        this.proxy = proxy;
        this.request = request;
        this.connection = connection;
    }

    static void connect(TestEnd one, TestEnd other) {
        ByteBuffer oneInfo = one.setUp();
        ByteBuffer otherInfo = other.setUp();
        while (!(one.connect(otherInfo) & other.connect(oneInfo))) {
            Thread.onSpinWait();
        }
    }

    /** Returns the connect info for the peer. */
    ByteBuffer setUp() {
        ByteBuffer response = ByteBuffer.allocate(4096);
        ByteBuffer body = proxy.transport.setupRequest(request);
        if (proxy.transport.proxySetup(connection, body, response) != ProxyResult.SUCCESS) {
            throw new AssertionError("Setup is done at once");
        }
        return proxy.transport.connectInfo(request, response.flip());
    }

    /** Returns whether it is connected. */
    boolean connect(ByteBuffer peerInfo) {
        if (kernelEnd == null) {
            ByteBuffer response = ByteBuffer.allocate(4096);
            ByteBuffer body = proxy.transport.connectRequest(request, peerInfo);
            if (proxy.transport.proxyConnect(connection, body, response) == ProxyResult.SUCCESS) {
                kernelEnd = proxy.transport.deviceConnection(request, response.flip());
            }
        }
        return kernelEnd != null;
    }

    /** Registers a range of memory, as the service does. */
    ProxyRegistration register(DeviceMemory memory, long offset, long bytes) {
        ProxyRegistration registration = new ProxyRegistration(++lastHandle, memory, false, offset, bytes);
        proxy.transport.proxyRegister(connection, registration);
        connection.add(registration);
        return registration;
    }

    void deregister(ProxyRegistration registration) {
        connection.remove(registration);
        proxy.transport.proxyDeregister(connection, registration);
    }

    NetResources resources() {
        return (NetResources) connection.resources();
    }

    void free() {
        connection.registrations().forEach(this::deregister);
        proxy.transport.proxyFree(connection);
    }
}
