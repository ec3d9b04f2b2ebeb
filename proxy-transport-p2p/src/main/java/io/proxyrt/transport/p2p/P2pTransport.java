/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.HostTransport;
import io.proxyrt.core.transport.Owned;
import io.proxyrt.core.transport.Tickets;
import io.proxyrt.transport.p2p.P2pMessages.ConnectInfo;
import io.proxyrt.transport.p2p.P2pMessages.Setup;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The P2P transport: each end of a connection makes memory of its device and opens that of the other. */
final class P2pTransport extends HostTransport<P2pResources, PeerEnd> {
    private final ProxyConfig config;
    private final P2pParts parts;
    /** By the connection's id; what the client half fetches when its Connect is answered. */
    private final Map<Long, DeviceConnection> connected = new ConcurrentHashMap<>();

    P2pTransport(TransportContext context) {
        this(context.config(), P2pParts.of(context));
    }

    private P2pTransport(ProxyConfig config, P2pParts parts) {
        super("P2P", P2pResources.class, parts.lanes(), parts.settings().connectTimeout());
        this.config = config;
        this.parts = parts;
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        if (config.get(P2pOptions.DISABLE) != 0) {
            return P2pOptions.DISABLE.key() + " is 1";
        }
        if (!self.isSameHost(peer)) {
            return "rank " + peer.rank() + " is on another host";
        }
        if (Ways.isHost(self) && config.get(P2pOptions.HOST) == 0) {
            return "host devices have SHM, unless " + P2pOptions.HOST.key() + " is 1";
        }
        String whyNot = parts.devices().whyNot(self, peer);
        return whyNot.isEmpty() ? parts.ways().whyNot(self, peer) : whyNot;
    }

    @Override
    public String how(PeerInfo self, PeerInfo peer) {
        return "memory by way of " + Ways.name(parts.ways().choose(self, peer))
                + (parts.devices().isRelayed(peer) ? " in " + config.get(P2pOptions.RELAY) : "") + ", " + slots();
    }

    @Override
    public String describe() {
        return "memory by way of " + parts.ways().describe() + ", " + slots();
    }

    private String slots() {
        return "Simple slots " + (parts.settings().isCopied() ? "copied by the sender's proxy"
                : parts.settings().isRead() ? "at the sender, to be read" : "at the receiver, to be written");
    }

    @Override
    public ByteBuffer setupRequest(ConnectorRequest request) {
        return setup(request).encode();
    }

    @Override
    public ByteBuffer connectInfo(ConnectorRequest request, ByteBuffer setupResponse) {
        ConnectInfo.decode(setupResponse, "Setup response");
        return setupResponse.slice();
    }

    @Override
    public ByteBuffer connectRequest(ConnectorRequest request, ByteBuffer peerInfo) {
        String what = "connect info of rank " + request.peer().rank();
        ConnectInfo info = ConnectInfo.decode(peerInfo, what);
        requireMatch(request, info, what);
        try (Owned owned = new Owned()) {
            PeerEnd end = owned.add(PeerEnd.open(parts, info, request.peer()));
            ByteBuffer ticket = Tickets.encode(tickets().put(end));
            owned.release();
            return ticket;
        }
    }

    /** Both ends must be of one connection, and configured alike. */
    private void requireMatch(ConnectorRequest request, ConnectInfo info, String what) {
        Setup mine = setup(request);
        if (!info.setup().end().isOtherEnd(mine.end())) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "P2P " + what + " is not that for " + request
                    + " but for " + info.setup());
        }
        EndLayout expected = parts.settings().layout(info.setup().end().direction());
        if (info.setup().way() != mine.way() || !info.layout().equals(expected)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "P2P " + what + ": its memory goes by way of "
                    + info.setup().way() + " and is " + info.layout() + ", this rank would have " + mine.way() + " and "
                    + expected + "; set the options of P2P and the sizes of buffers alike");
        }
    }

    @Override
    public DeviceConnection deviceConnection(ConnectorRequest request, ByteBuffer connectResponse) {
        DeviceConnection connection = connected.get(P2pMessages.connected(connectResponse));
        if (connection == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "P2P Connect response of " + request
                    + " names a connection that this process does not have, or not any more");
        }
        // What lies in a third device this rank's device reaches, and nothing else of the peer's.
        return parts.devices().isRelayed(request.peer()) ? connection
                : connection.with(registeredBy(request.peer().rank()));
    }

    @Override
    protected P2pResources setUp(ProxyConnection connection, ByteBuffer request) {
        Setup setup = Setup.decode(request);
        requireEnd(connection, setup.end());
        return P2pResources.make(parts, connection, setup);
    }

    @Override
    protected void connected(ProxyConnection connection, P2pResources resources, ByteBuffer response) {
        connected.put(connection.id(), resources.connection());
        P2pMessages.encodeConnected(response, connection.id());
    }

    @Override
    public void proxyFree(ProxyConnection connection) {
        connected.remove(connection.id());
        super.proxyFree(connection);
    }

    /** {@inheritDoc} Only a sender's in copy-engine mode. */
    @Override
    protected boolean copies(Direction direction) {
        return parts.settings().copies(direction);
    }

    @Override
    protected void closeShared() {
        parts.devices().close();
    }

    /** Memory of peers that no Connect has taken over; for tests. */
    int waiting() {
        return tickets().size();
    }

    private Setup setup(ConnectorRequest request) {
        return new Setup(ConnectorEnd.of(request), parts.ways().choose(request.self(), request.peer()),
                parts.devices().isRelayed(request.peer()));
    }
}
