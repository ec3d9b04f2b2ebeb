/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.HostTransport;
import io.proxyrt.core.transport.Owned;
import io.proxyrt.core.transport.Tickets;
import io.proxyrt.transport.shm.ShmMessages.ConnectInfo;
import io.proxyrt.transport.shm.ShmMessages.Setup;
import java.nio.ByteBuffer;

/** The SHM transport: each end of a connection makes a segment and maps that of the other. */
final class ShmTransport extends HostTransport<ShmResources, PeerSegment> {
    private final TransportContext context;
    private final SegmentKinds kinds;
    private final ShmParts parts;
    private final ShmSettings settings;

    ShmTransport(TransportContext context, SegmentKinds kinds) {
        this(context, ShmParts.of(context, kinds));
    }

    private ShmTransport(TransportContext context, ShmParts parts) {
        super("SHM", ShmResources.class, parts.lanes(), parts.settings().connectTimeout());
        this.context = context;
        this.kinds = parts.kinds();
        this.parts = parts;
        this.settings = parts.settings();
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        if (context.config().get(ShmOptions.DISABLE) != 0) {
            return ShmOptions.DISABLE + " is 1";
        }
        if (!self.isSameHost(peer)) {
            return "rank " + peer.rank() + " is on another host";
        }
        return kinds.whyNot(self, peer);
    }

    @Override
    public String describe() {
        return kinds.describe() + ", buffers in the segment of the "
                + (settings.locality() == ShmSettings.SENDER ? "sender" : "receiver");
    }

    @Override
    public ByteBuffer setupRequest(ConnectorRequest request) {
        return new Setup(ConnectorEnd.of(request), kinds.choose(request.self(), request.peer())).encode();
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
            PeerSegment segment = owned.add(new PeerSegment(info, kinds.open(info.address(), info.layout().bytes(),
                    settings.connectTimeout())));
            String fault = SegmentHeader.fault(segment.memory().segment(), info.token(), info.layout());
            if (!fault.isEmpty()) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, "SHM " + request + ": the segment of rank "
                        + request.peer().rank() + ' ' + fault);
            }
            ByteBuffer ticket = Tickets.encode(tickets().put(segment));
            owned.release();
            return ticket;
        }
    }

    /** Both ends must be of one connection, and configured alike. */
    private void requireMatch(ConnectorRequest request, ConnectInfo info, String what) {
        if (!info.setup().end().isOtherEnd(ConnectorEnd.of(request))) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "SHM " + what + " is not that for " + request
                    + " but for " + info.setup());
        }
        if (info.locality() != settings.locality() || info.layout().hasBuffers() == settings.hasBuffers(
                request.direction())) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "SHM " + what + ": it has " + ShmOptions.LOCALITY + ' '
                    + info.locality() + ", this rank " + settings.locality() + "; set it alike");
        }
        if (!info.layout().buffers().equals(settings.buffers())) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "SHM " + what + ": it has buffers of "
                    + info.layout().buffers() + ", this rank of " + settings.buffers() + "; set them alike");
        }
    }

    @Override
    public DeviceConnection deviceConnection(ConnectorRequest request, ByteBuffer connectResponse) {
        DeviceConnection connection = ShmMap.decode(connectResponse).resolve(context.device());
        return kinds.sharesRegistered() ? connection.with(registeredBy(request.peer().rank())) : connection;
    }

    @Override
    protected ShmResources setUp(ProxyConnection connection, ByteBuffer request) {
        Setup setup = Setup.decode(request);
        requireEnd(connection, setup.end());
        return ShmResources.make(parts, connection, setup);
    }

    @Override
    protected void connected(ProxyConnection connection, ShmResources resources, ByteBuffer response) {
        resources.map().encode(response);
    }

    /** {@inheritDoc} Kernels of this rank find it by {@link DeviceConnection#peerMemory}. */
    @Override
    public ProxyResult proxyRegister(ProxyConnection connection, ProxyRegistration registration) {
        if (!kinds.sharesRegistered()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "SHM: kernels of " + context.device().name()
                    + " read peers' memory by P2P only; what is sent by SHM goes through slots");
        }
        return super.proxyRegister(connection, registration);
    }

    /** {@inheritDoc} Only in copy-engine mode. */
    @Override
    protected boolean copies(Direction direction) {
        return settings.copies(direction);
    }

    @Override
    protected void closeShared() {
        kinds.close();
    }

    /** Segments of peers that no Connect has taken over; for tests. */
    int waiting() {
        return tickets().size();
    }
}
