/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * This rank's end of a connection: what is left of a connector once it is connected. Owned by the runtime, as long as
 * that or until {@link Connector#close()}.
 *
 * @param peer       the rank at the other end, as its user counts
 * @param id         names the connection in ops and to the service
 * @param needsProxy whether ops have to be posted for it
 * @param device     the kernels' part
 * @param connector  what made it
 */
public record ConnectionEnd(int peer, long id, boolean needsProxy, DeviceConnection device, Connector connector) {
    private static final Duration REASON = Duration.ofSeconds(2);

    /**
     * Takes what is needed of a connector.
     *
     * @param connector that has connected
     * @param device    what {@link Connector#connect(byte[])} gave
     * @return of the connector's connection
     */
    public static ConnectionEnd of(Connector connector, DeviceConnection device) {
        return new ConnectionEnd(connector.request().peer().rank(), connector.connectionId(), connector.needsProxy(),
                device, connector);
    }

    /**
     * The same end, with the other rank's number among those that its user knows.
     *
     * @param rank in place of the job's number
     * @return of the same connection
     */
    public ConnectionEnd of(int rank) {
        return rank == peer ? this : new ConnectionEnd(rank, id, needsProxy, device, connector);
    }

    /**
     * Connects several at once. The first that fails is the reason for all that are not there yet. Blocks until all are
     * connected, or for that time, and two seconds more for a peer to say why it does not connect; drives the runtime
     * meanwhile if no thread does.
     *
     * @param proxy      of the connectors
     * @param connectors that are set up
     * @param peerInfos  what their peers' connectors gave, in the same order
     * @param timeout    for each to come after the one before
     * @return in the same order
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the connector whose peer did not connect, or why one
     *                        could not
     */
    public static List<ConnectionEnd> connect(ProxyState proxy, List<Connector> connectors, List<byte[]> peerInfos,
            Duration timeout) {
        if (connectors.size() != peerInfos.size()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, connectors.size() + " connectors, and infos of "
                    + peerInfos.size() + " peers");
        }
        Connecting connecting = new Connecting();
        for (int i = 0; i < connectors.size(); i++) {
            connecting.begin(connectors.get(i), peerInfos.get(i));
        }
        List<ConnectionEnd> ends = new ArrayList<>();
        for (Connector connector : connectors) {
            ends.add(of(connector, await(proxy, connecting.of(connector), timeout, "connect of " + connector)));
        }
        return ends;
    }

    /** A peer that waits for a third rank in vain began a moment later, and has yet to say which that is. */
    private static DeviceConnection await(ProxyState proxy, CompletableFuture<DeviceConnection> connected,
            Duration timeout, String what) {
        try {
            return proxy.await(connected, timeout, what);
        } catch (ProxyException late) {
            if (late.result() != ProxyResult.TIMEOUT) {
                throw late;
            }
            return awaitReason(proxy, connected, late);
        }
    }

    private static DeviceConnection awaitReason(ProxyState proxy, CompletableFuture<DeviceConnection> connected,
            ProxyException late) {
        try {
            return proxy.await(connected, REASON, late.getMessage());
        } catch (ProxyException e) {
            throw e.result() == ProxyResult.TIMEOUT ? late : e;
        }
    }

    /**
     * Whether its proxy takes the user's memory as it is; between ranks of a host that is the kernels' own affair.
     *
     * @return false if nothing can be registered with it
     */
    public boolean registersMemory() {
        return needsProxy && !device.isDirect(Protocol.LL);
    }

    /**
     * Whether the peer's kernels can reach memory of this rank.
     *
     * @return false if data go through slots
     */
    public boolean sharesMemory() {
        return device.isDirect(Protocol.SIMPLE) && device.peerMemory() != null;
    }
}
