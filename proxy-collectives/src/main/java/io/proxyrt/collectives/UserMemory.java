/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.ForwardingMemory;
import io.proxyrt.core.runtime.ConnectionEnd;
import io.proxyrt.core.runtime.PeerRegistrar;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.service.message.DeregisterRequest;
import io.proxyrt.core.service.message.RegisterRequest;
import io.proxyrt.core.service.message.RegisterRequest.Source;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;

/**
 * The user's memory that the network reaches directly. Each piece is registered with every connection that may carry
 * it: with the rings' at once, with a peer's when it is connected. Confined to the caller's thread; looking memory up
 * allocates nothing.
 */
final class UserMemory {
    private static final Logger LOG = Subsystem.REG.logger();
    /** Drivers share memory in units of that, however little is asked for. */
    private static final long LEAST_GPU_BYTES = 2 << 20;

    private final ProxyState proxy;
    /** None before they are connected. */
    private Ring[] rings;
    private final int channels;
    private final PeerPorts peers;
    /** Null if no network takes memory as it is. */
    private ConnectionEnd network;
    private final int nRanks;
    private final Duration timeout;
    private final SingleUser user;
    private final String self;
    private final Runnable awaitStream;
    private final long leastBytes;
    /** Whether this process can pass its memory on at all; SHM does without, by files. */
    private final boolean canShare;
    private boolean sharesMemory;
    private final PeerRegistrar[] registrars;
    private final boolean isOnGpu;
    private boolean isAutomatic;
    private volatile boolean isClosed;
    /** What was allocated, and may not be freed yet. */
    private final List<Given> given = new ArrayList<>();
    /** By address. */
    private RegisteredMemory[] pieces = {};

    /** Memory that goes with the communicator, if not before. */
    private record Given(DeviceMemory memory, MemorySegment.Scope scope) {
    }

    /** No memory yet; awaitStream waits for all that was launched. */
    UserMemory(CommunicatorParts parts, ConnectionEnd network, Runnable awaitStream) {
        RingSetup setup = parts.setup;
        this.user = parts.user;
        this.self = setup.group().self();
        this.awaitStream = awaitStream;
        this.isOnGpu = setup.isOnGpu();
        this.nRanks = setup.nRanks();
        this.timeout = setup.timeout();
        ProxyConfig config = parts.config;
        this.leastBytes = isOnGpu && !config.isSet(CollectivesOptions.REGISTER_BYTES) ? LEAST_GPU_BYTES
                : config.get(CollectivesOptions.REGISTER_BYTES);
        this.proxy = parts.proxy;
        this.rings = parts.rings;
        this.channels = setup.channels();
        this.peers = parts.peers;
        this.network = network;
        this.registrars = new PeerRegistrar[nRanks];
        this.canShare = proxy.memory().whyNot().isEmpty()
                && proxy.device().capabilities().contains(DeviceCapability.SHAREABLE_MEMORY);
        this.sharesMemory = canShare && rings.length > 0 && reader().sharesMemory();
        this.isAutomatic = config.get(CollectivesOptions.REGISTER) && (!isOnGpu || sharesMemory);
    }

    /** Who reaches this rank's memory: the next rank, which reads it; of GPUs the rank before, which writes it. */
    private ConnectionEnd reader() {
        return isOnGpu ? rings[0].recv() : rings[0].send();
    }

    /** The rings are there; what is registered by now is so with them, too, as far as they can take it. */
    void connected(Ring... connected) {
        rings = connected;
        sharesMemory = canShare && rings.length > 0 && reader().sharesMemory();
        for (RegisteredMemory piece : pieces) {
            try {
                registerWithRings(piece);
            } catch (ProxyException e) {
                LOG.info("{}: collectives go through the slots of their connections, for memory cannot be registered: "
                        + "{}", self, e.getMessage());
            }
        }
    }

    private void registerWithRings(RegisteredMemory piece) {
        for (Ring ring : rings) {
            piece.ringSend[ring.channel()] = register(piece, ring.send());
            piece.ringRecv[ring.channel()] = register(piece, ring.recv());
        }
    }

    /** The piece that holds so much memory from a segment's beginning on; null if there is none. */
    RegisteredMemory find(MemorySegment segment, long bytes) {
        int low = 0;
        int high = pieces.length - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            if (pieces[middle].holds(segment, bytes)) {
                return pieces[middle];
            }
            if (pieces[middle].address() < segment.address()) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    /** Memory that can be registered, and is if the option says so. */
    DeviceMemory allocate(long bytes) {
        DeviceMemory allocated = allocateNow(bytes);
        given.removeIf(one -> !one.scope.isAlive());
        given.add(new Given(allocated, allocated.range().scope()));
        return allocated;
    }

    private DeviceMemory allocateNow(long bytes) {
        if (nRanks == 1 || bytes < leastBytes) {
            return proxy.device().allocate(bytes);
        }
        boolean mayShare = rings.length == 0 ? canShare && !isOnGpu : sharesMemory;
        DeviceMemory allocated = mayShare ? proxy.device().allocateShareable(bytes)
                : proxy.device().allocate(bytes);
        if (!isAutomatic) {
            return allocated;
        }
        try {
            return new OwnMemory(allocated, register(allocated));
        } catch (ProxyException e) {
            isAutomatic = false;
            LOG.info("{}: large messages go through the slots of connections, for memory cannot be registered: {}",
                    self, e.getMessage());
            return allocated;
        }
    }

    /** All or nothing, but for peers whose kernels reach it: those learn of it when they first need it. */
    RegisteredMemory register(DeviceMemory memory) {
        if (isOnGpu && !sharesMemory) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "kernels of " + proxy.device().name()
                    + " receive through slots what the rank before sends, whose GPU does not reach this one's memory: "
                    + "memory cannot be registered; info peers says what connects the ranks");
        }
        DeviceMemory known = memory instanceof OwnMemory own ? own.memory() : memory;
        RegisteredMemory piece = new RegisteredMemory(known, channels, nRanks);
        if (sharesMemory) {
            proxy.device().exportFd(known).close();
        }
        try {
            registerWithRings(piece);
            registerWithNetwork(piece);
            for (int peer = 0; peer < nRanks; peer++) {
                if (peers.pair(peer) != null) {
                    register(piece, peer);
                }
            }
        } catch (ProxyException e) {
            try {
                giveBack(piece);
            } catch (ProxyException another) {
                e.addSuppressed(another);
            }
            throw e;
        }
        pieces = Arrays.copyOf(pieces, pieces.length + 1);
        pieces[pieces.length - 1] = piece;
        Arrays.sort(pieces, Comparator.comparingLong(RegisteredMemory::address));
        return piece;
    }

    /**
     * By what handle kernels at the other end of a direct connection find a piece; 0 if they cannot, or not yet. The
     * first time it registers the piece there, and may wait a moment for that rank.
     */
    long direct(RegisteredMemory piece, ConnectionEnd end) {
        if (!canShare) {
            return 0;
        }
        int peer = end.peer();
        if (registrars[peer] == null) {
            registrars[peer] = end.connector().registrar();
        }
        if (piece.direct[peer] == null) {
            piece.direct[peer] = new DirectHandle(proxy, registrars[peer], piece.memory, peer);
        }
        return piece.direct[peer].get();
    }

    /** Peers were connected: their connections get to know all there is. What they cannot take goes through slots. */
    void connected(int... connected) {
        for (int peer : connected) {
            connected(peer);
        }
    }

    private void connected(int peer) {
        for (RegisteredMemory piece : pieces) {
            try {
                if (piece.peerSend[peer] == 0) {
                    register(piece, peer);
                }
            } catch (ProxyException e) {
                LOG.info("{}: messages with rank {} go through the slots of their connections, for memory cannot "
                        + "be registered: {}", self, peer, e.getMessage());
            }
        }
    }

    /** What it cannot take goes through slots, in the same calls. */
    private void registerWithNetwork(RegisteredMemory piece) {
        try {
            piece.collNet = network == null ? 0 : register(piece, network);
        } catch (ProxyException e) {
            LOG.info("{}: what the network reduces goes through slots, for memory cannot be registered: {}",
                    self, e.getMessage());
        }
    }

    /** The connection to the network is closed, and with it what was registered there. */
    void withoutNetwork() {
        for (RegisteredMemory piece : pieces) {
            piece.collNet = 0;
            piece.handles.removeIf(handle -> network != null && handle.connection() == network.id());
        }
        network = null;
    }

    /** Waits for what was launched, for that may use the memory. Can be tried again if it fails; idempotent. */
    void deregister(RegisteredMemory piece) {
        if (isClosed) {
            return;
        }
        user.enter("close of registered memory");
        try {
            if (Arrays.asList(pieces).contains(piece)) {
                awaitStream.run();
                giveBack(piece);
                pieces = Arrays.stream(pieces).filter(other -> other != piece).toArray(RegisteredMemory[]::new);
            }
        } finally {
            user.exit();
        }
    }

    /** The runtime goes, and all handles with it. */
    void close() {
        isClosed = true;
    }

    /**
     * As {@link #close}, but the runtime stays: gives all handles back, its own and the peers', and all memory. What is
     * not given back by the deadline goes with the runtime.
     */
    void leave(long deadlineNs) {
        for (RegisteredMemory piece : pieces) {
            tryToGiveBack(piece, deadlineNs);
        }
        isClosed = true;
        for (Given one : given) {
            try {
                one.memory.close();
            } catch (IllegalStateException e) {
                LOG.info("{}: memory stays until the runtime ends, for it is in use: {}", self, e.getMessage());
            }
        }
        given.clear();
    }

    private void tryToGiveBack(RegisteredMemory piece, long deadlineNs) {
        try {
            giveBack(piece, Duration.ofNanos(Math.clamp(deadlineNs - System.nanoTime(), 0, timeout.toNanos())));
        } catch (ProxyException e) {
            LOG.debug("{}: {}", self, e.getMessage());
        }
    }

    /** Memory of {@link #allocate}: no longer registered when it is freed. */
    private final class OwnMemory extends ForwardingMemory {
        private final RegisteredMemory piece;

        OwnMemory(DeviceMemory memory, RegisteredMemory piece) {
            super(memory);
            this.piece = piece;
        }

        /** After a failure the network may still use it; then it goes with the communicator. */
        @Override
        public void close() {
            if (isClosed || proxy.asyncResult().failure() == null) {
                deregister(piece);
                super.close();
            }
        }
    }

    private void register(RegisteredMemory piece, int peer) {
        PeerPorts.Pair pair = peers.pair(peer);
        piece.peerSend[peer] = register(piece, pair.send());
        piece.peerRecv[peer] = register(piece, pair.recv());
    }

    /** Zero for a connection that kernels use by themselves. */
    private long register(RegisteredMemory piece, ConnectionEnd end) {
        if (isOnGpu || !end.registersMemory()) {
            return 0;
        }
        long connection = end.id();
        RegisterRequest request = new RegisterRequest(Source.DEVICE, piece.memory.id(), 0,
                piece.memory.bytes());
        long handle = proxy.await(proxy.client().callAsync(connection, request), timeout,
                "registering memory with connection " + Long.toHexString(connection));
        piece.handles.add(new RegisteredMemory.Handle(connection, handle));
        return handle;
    }

    private void giveBack(RegisteredMemory piece) {
        giveBack(piece, timeout);
    }

    private void giveBack(RegisteredMemory piece, Duration limit) {
        for (int peer = 0; peer < nRanks; peer++) {
            if (piece.direct[peer] != null) {
                piece.direct[peer].close();
            }
        }
        while (!piece.handles.isEmpty()) {
            RegisteredMemory.Handle handle = piece.handles.getLast();
            proxy.await(proxy.client().callAsync(handle.connection(), new DeregisterRequest(handle.handle())), limit,
                    "deregistering memory from connection " + Long.toHexString(handle.connection()));
            piece.handles.removeLast();
        }
    }
}
