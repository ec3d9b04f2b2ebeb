/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerInfo;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.PeerMemory;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.spi.ConnectorRequest;
import io.proxyrt.core.spi.ProxyProgress;
import io.proxyrt.core.spi.ProxyTransport;
import io.proxyrt.core.spi.TransportContext;
import io.proxyrt.core.transport.CopyProgress;
import io.proxyrt.core.transport.Owned;
import io.proxyrt.core.transport.Tickets;
import io.proxyrt.transport.shm.ShmMessages.ConnectInfo;
import io.proxyrt.transport.shm.ShmMessages.Setup;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The SHM transport: each end of a connection makes a segment and maps that of the other. */
final class ShmTransport implements ProxyTransport {
    private static final Object MEMORY_ONLY = new Object();

    private final TransportContext context;
    private final SegmentKinds kinds;
    private final ShmParts parts;
    private final ShmSettings settings;
    private final Tickets<PeerSegment> waiting;
    private final ProxyProgress copying = new CopyProgress();
    private final Map<Integer, PeerMemory> registered = new ConcurrentHashMap<>();

    ShmTransport(TransportContext context, SegmentKinds kinds) {
        this.context = context;
        this.kinds = kinds;
        this.parts = ShmParts.of(context, kinds);
        this.settings = parts.settings();
        this.waiting = new Tickets<>("SHM", settings.connectTimeout());
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
        return setup(request, kinds.choose(request.self(), request.peer())).encode();
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
            ByteBuffer ticket = Tickets.encode(waiting.put(segment));
            owned.release();
            return ticket;
        }
    }

    /** Both ends must be of one connection, and configured alike. */
    private void requireMatch(ConnectorRequest request, ConnectInfo info, String what) {
        if (!info.setup().isOtherEnd(setup(request, SegmentKind.AUTO))) {
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
    public ProxyResult proxySetup(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        if (connection.resources() != null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "SHM Setup of " + connection + ", which is set up");
        }
        if (!request.hasRemaining()) {
            connection.resources(MEMORY_ONLY);
            return ProxyResult.SUCCESS;
        }
        Setup setup = Setup.decode(request);
        if (setup.remoteRank() != connection.peer() || setup.direction() != connection.direction()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "SHM Setup request of " + connection + " is for "
                    + setup);
        }
        ShmResources resources = ShmResources.make(parts, connection, setup);
        connection.resources(resources);
        resources.info().encode(response);
        return ProxyResult.SUCCESS;
    }

    /** Done when each end has mapped the other's segment, so that neither leaves while the other still asks for it. */
    @Override
    public ProxyResult proxyConnect(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        if (connection.resources() == MEMORY_ONLY) {
            return ProxyResult.SUCCESS;
        }
        if (!(connection.resources() instanceof ShmResources resources)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "SHM Connect of " + connection
                    + ", which is not set up");
        }
        resources.attach(connection, waiting, waiting.decode(request));
        if (!resources.isAttached()) {
            return ProxyResult.IN_PROGRESS;
        }
        resources.map().encode(response);
        return ProxyResult.SUCCESS;
    }

    /** {@inheritDoc} Kernels of this rank find it by {@link DeviceConnection#peerMemory}. */
    @Override
    public ProxyResult proxyRegister(ProxyConnection connection, ProxyRegistration registration) {
        if (!kinds.sharesRegistered()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "SHM: kernels of " + context.device().name()
                    + " read peers' memory by P2P only; what is sent by SHM goes through slots");
        }
        registeredBy(connection.owner().rank()).add(registration.handle(), registration.range());
        return ProxyResult.SUCCESS;
    }

    @Override
    public void proxyDeregister(ProxyConnection connection, ProxyRegistration registration) {
        registeredBy(connection.owner().rank()).remove(registration.handle());
    }

    @Override
    public void proxyFree(ProxyConnection connection) {
        Object resources = connection.resources();
        connection.resources(null);
        waiting.expire();
        if (resources instanceof ShmResources own) {
            own.free();
        }
    }

    /** {@inheritDoc} Only copy-engine mode needs any. */
    @Override
    public ProxyProgress progress(Direction direction) {
        return settings.copies(direction) ? copying : null;
    }

    @Override
    public void close() {
        try (Owned owned = new Owned()) {
            owned.add(kinds);
            owned.add(waiting);
        }
    }

    /** Segments of peers that nobody has taken over; for tests. */
    int waiting() {
        return waiting.size();
    }

    private PeerMemory registeredBy(int rank) {
        return registered.computeIfAbsent(rank, any -> new PeerMemory());
    }

    private static Setup setup(ConnectorRequest request, SegmentKind kind) {
        return new Setup(request.self().rank(), request.peer().rank(), request.channelId(), request.connIndex(),
                request.direction(), kind);
    }
}
