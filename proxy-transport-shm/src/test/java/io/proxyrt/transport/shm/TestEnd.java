/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.ProxyConnection;
import java.nio.ByteBuffer;

/** One end of a connection, and what a client and a service do to it. */
final class TestEnd {
    final TestProxy proxy;
    final ConnectorRequest request;
    final ProxyConnection connection;
    /** What the kernels have; null until connected. */
    DeviceConnection kernelEnd;
    private ByteBuffer connectRequest;

    TestEnd(TestProxy proxy, ConnectorRequest request, ProxyConnection connection) {
        this.proxy = proxy;
        this.request = request;
        this.connection = connection;
    }

    static void connect(TestEnd one, TestEnd other) {
        ByteBuffer oneInfo = one.setUp();
        ByteBuffer otherInfo = other.setUp();
        one.connect(otherInfo);
        if (!other.connect(oneInfo) || !one.connect(otherInfo)) {
            throw new AssertionError("both are connected once both have mapped the other's segment");
        }
    }

    /** Returns the connect info for the peer. */
    ByteBuffer setUp() {
        ByteBuffer response = ByteBuffer.allocate(4096);
        if (proxy.transport.proxySetup(connection, proxy.transport.setupRequest(request), response)
                != ProxyResult.SUCCESS) {
            throw new AssertionError("Setup is done at once");
        }
        return proxy.transport.connectInfo(request, response.flip());
    }

    /** Returns whether it is connected; to be called again until it is. */
    boolean connect(ByteBuffer peerInfo) {
        if (connectRequest == null) {
            connectRequest = proxy.transport.connectRequest(request, peerInfo);
        }
        return connect();
    }

    private boolean connect() {
        ByteBuffer response = ByteBuffer.allocate(4096);
        if (kernelEnd == null && proxy.transport.proxyConnect(connection, connectRequest.duplicate(), response)
                == ProxyResult.SUCCESS) {
            kernelEnd = proxy.transport.deviceConnection(request, response.flip());
        }
        return kernelEnd != null;
    }

    /** As a client does whose Connect got lost. */
    void forgetConnect() {
        connectRequest = null;
    }

    void free() {
        proxy.transport.proxyFree(connection);
    }
}
