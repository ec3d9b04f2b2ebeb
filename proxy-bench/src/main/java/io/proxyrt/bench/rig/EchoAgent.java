/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.service.BlockingClient;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.RpcCall;
import io.proxyrt.core.service.RpcHandler;
import io.proxyrt.core.service.ServiceEndpoint;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;

/** A service whose handler answers each call with its body: all that a call costs besides what it is for. */
final class EchoAgent implements Agent, RpcHandler {
    private final String name;
    private final ServiceEndpoint endpoint;

    EchoAgent(Rank rank) {
        this.name = "proxy-service-" + rank.self().rank();
        this.endpoint = rank.openService(this);
    }

    /** The other process, until it is closed. */
    static Peer service(Rank rank, Talk rig) {
        EchoAgent agent = new EchoAgent(rank);
        return rank.serve(agent, Addresses.format(agent.address()), rig)::close;
    }

    SocketAddress address() {
        return endpoint.address();
    }

    CompletableFuture<ProxyClient> connect(SocketAddress service) {
        return endpoint.connect(service);
    }

    BlockingClient connectBlocking(SocketAddress service) {
        return endpoint.connectBlocking(service, Rank.PATIENCE);
    }

    @Override
    public void onCall(RpcCall call) {
        call.reply(ProxyResult.SUCCESS, "", call.request());
    }

    @Override
    public void onConnect(PeerId peer) {
        // Every peer that knows the secret may call.
    }

    @Override
    public void onDisconnect(PeerId peer) {
        // Nothing is kept for a peer.
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int doWork() {
        return endpoint.doWork();
    }

    @Override
    public void park(long maxNs) {
        endpoint.park(maxNs);
    }

    @Override
    public boolean isWoken() {
        return true;
    }

    @Override
    public void wakeup(Thread runner) {
        endpoint.wakeup(runner);
    }

    @Override
    public void onClose() {
        endpoint.onClose();
    }
}
