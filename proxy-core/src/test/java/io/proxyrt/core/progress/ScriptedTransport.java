/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A transport that a test drives by hand. */
public final class ScriptedTransport implements ProxyTransport {
    public final List<String> calls = new ArrayList<>();
    /** Set-up and connect stay in progress for a number of calls. */
    public int pending;
    public RuntimeException failure;
    /** What freeing throws. */
    public RuntimeException freeFailure;
    /** What it says of every peer. */
    public String whyNot = "";
    public boolean isWaitable;
    public boolean isCollective;
    /** As {@link #adapters()}. */
    public List<TransportAdapter> adapters = List.of();
    private final ProxyProgress progress;

    /** What advance does with a group: see the results of {@link ProxyProgress#advance}; null if there is no proxy. */
    public ScriptedTransport(Function<ProxyArgs, Integer> progress) {
        this.progress = progress == null ? null : progress::apply;
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        return whyNot;
    }

    @Override
    public boolean isCollective() {
        return isCollective;
    }

    @Override
    public String describe() {
        return "scripted";
    }

    @Override
    public List<TransportAdapter> adapters() {
        return adapters;
    }

    @Override
    public ByteBuffer setupRequest(ConnectorRequest request) {
        return ByteBuffer.allocate(0);
    }

    @Override
    public ByteBuffer connectInfo(ConnectorRequest request, ByteBuffer setupResponse) {
        return setupResponse;
    }

    @Override
    public ByteBuffer connectRequest(ConnectorRequest request, ByteBuffer peerInfo) {
        return peerInfo;
    }

    @Override
    public DeviceConnection deviceConnection(ConnectorRequest request, ByteBuffer connectResponse) {
        throw new AssertionError("no kernel in this test");
    }

    @Override
    public ProxyResult proxySetup(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        return step("setup", response);
    }

    @Override
    public ProxyResult proxyConnect(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        return step("connect", response);
    }

    @Override
    public ProxyResult proxySharedInit(ProxyConnection connection, int nChannels, ByteBuffer response) {
        return step("sharedInit " + nChannels, response);
    }

    @Override
    public ProxyResult proxyRegister(ProxyConnection connection, ProxyRegistration registration) {
        registration.mhandle("mhandle");
        return step("register " + registration.range().byteSize(), ByteBuffer.allocate(Integer.BYTES));
    }

    @Override
    public void proxyDeregister(ProxyConnection connection, ProxyRegistration registration) {
        calls.add("deregister " + registration.range().byteSize());
    }

    @Override
    public void proxyFree(ProxyConnection connection) {
        calls.add("free " + connection.state());
        if (freeFailure != null) {
            throw freeFailure;
        }
    }

    @Override
    public ProxyProgress progress(Direction direction) {
        return progress;
    }

    @Override
    public void poll(int ops) {
        calls.add("poll " + ops);
    }

    @Override
    public boolean isWaitable() {
        return isWaitable;
    }

    @Override
    public void close() {
        calls.add("close");
        if (failure != null) {
            throw failure;
        }
    }

    private ProxyResult step(String call, ByteBuffer response) {
        calls.add(call);
        if (failure != null) {
            throw failure;
        }
        if (pending-- > 0) {
            return ProxyResult.IN_PROGRESS;
        }
        response.putInt(call.length());
        return ProxyResult.SUCCESS;
    }
}
