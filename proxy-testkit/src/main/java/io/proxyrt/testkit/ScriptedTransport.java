/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportContext;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A transport that moves nothing: a test says how long its set-up takes and how its ops end. What it answers to a
 * Setup or Connect request is the request; and it throws if it is asked for a connection that was freed.
 */
public final class ScriptedTransport implements ProxyTransport, ProxyTransportProvider {
    /** Its number; no transport of RCCL's has it. */
    public static final int ID = 16;

    private final ProxyProgress progress;
    private volatile int pendingTurns;
    private final AtomicInteger live = new AtomicInteger();
    private final AtomicInteger registered = new AtomicInteger();

    /**
     * A script.
     *
     * @param progress what becomes of its ops
     */
    public ScriptedTransport(ProxyProgress progress) {
        this.progress = progress;
    }

    /**
     * Ops that never end.
     *
     * @return a script
     */
    public static ScriptedTransport stuck() {
        return new ScriptedTransport(args -> 0);
    }

    /**
     * Ops that end at once.
     *
     * @return a script
     */
    public static ScriptedTransport swift() {
        return new ScriptedTransport(args -> {
            for (int i = 0; i < args.nsubs(); i++) {
                args.sub(i).done = args.sub(i).nsteps;
            }
            args.state = ProxyArgs.State.NONE;
            return 1;
        });
    }

    /**
     * Lets each Setup and Connect say that it has to wait, from now on.
     *
     * @param turns how often; {@link Integer#MAX_VALUE} for ever
     */
    public void pendingTurns(int turns) {
        pendingTurns = turns;
    }

    /**
     * Connections that are set up and not freed. Any thread.
     *
     * @return how many
     */
    public int live() {
        return live.get();
    }

    /**
     * Registrations that were not undone. Any thread.
     *
     * @return how many
     */
    public int registered() {
        return registered.get();
    }

    @Override
    public int id() {
        return ID;
    }

    @Override
    public String name() {
        return "SCRIPTED";
    }

    @Override
    public ProxyTransport create(TransportContext context) {
        return this;
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        return "";
    }

    @Override
    public String describe() {
        return "scripted";
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
        throw new UnsupportedOperationException("no kernel runs over a scripted transport");
    }

    @Override
    public ProxyResult proxySetup(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        Turns turns = (Turns) connection.resources();
        if (turns == null) {
            turns = new Turns();
            connection.resources(turns);
            live.incrementAndGet();
        }
        turns.requireLive(connection);
        return turn(turns, request, response);
    }

    @Override
    public ProxyResult proxyConnect(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        Turns turns = (Turns) connection.resources();
        turns.requireLive(connection);
        return turn(turns, request, response);
    }

    @Override
    public ProxyResult proxyRegister(ProxyConnection connection, ProxyRegistration registration) {
        ((Turns) connection.resources()).requireLive(connection);
        registration.mhandle(registration.range());
        registered.incrementAndGet();
        return ProxyResult.SUCCESS;
    }

    @Override
    public void proxyDeregister(ProxyConnection connection, ProxyRegistration registration) {
        ((Turns) connection.resources()).requireLive(connection);
        registered.decrementAndGet();
    }

    @Override
    public void proxyFree(ProxyConnection connection) {
        if (connection.resources() instanceof Turns turns) {
            turns.requireLive(connection);
            turns.isFree = true;
            live.decrementAndGet();
        }
    }

    @Override
    public ProxyProgress progress(Direction direction) {
        return progress;
    }

    @Override
    public void close() {
        // Nothing is held.
    }

    private ProxyResult turn(Turns turns, ByteBuffer request, ByteBuffer response) {
        if (turns.taken < pendingTurns) {
            turns.taken++;
            return ProxyResult.IN_PROGRESS;
        }
        turns.taken = 0;
        response.put(request);
        return ProxyResult.SUCCESS;
    }

    /** How often a call of the connection had to wait. */
    private static final class Turns {
        private int taken;
        private boolean isFree;

        private void requireLive(ProxyConnection connection) {
            if (isFree) {
                throw new IllegalStateException(connection + " is used after it was freed");
            }
        }
    }
}
