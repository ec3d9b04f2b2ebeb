/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * One way of moving bytes between ranks: RCCL's {@code ncclTransport}. It has two halves. The <em>client</em> half runs
 * on the thread of a rank that sets a connection up: it encodes, decodes, and may map memory that the peer shares, for
 * which it blocks a while. The <em>proxy</em> half runs on the service thread ({@link #proxySetup}, {@link
 * #proxyConnect}, {@link #proxyFree}) and on the progress thread ({@link #progress}). The two speak through the
 * service's RPC, so they may live in different processes.
 */
public interface ProxyTransport extends AutoCloseable {
    /** Bytes of what two ranks tell each other to get connected: RCCL's {@code ncclConnect}. */
    int CONNECT_INFO_BYTES = 256;

    /**
     * Whether this transport can carry data between two ranks, and if not, why. Any thread.
     *
     * @param self this rank
     * @param peer the other one
     * @return empty if it can, else the reason for people
     */
    String whyNot(PeerInfo self, PeerInfo peer);

    /**
     * What it would do between two ranks between which it can carry data. Any thread.
     *
     * @param self this rank
     * @param peer the other one
     * @return for people; empty if it can only do one thing
     */
    default String how(PeerInfo self, PeerInfo peer) {
        return "";
    }

    /**
     * What tools call it, such as {@code proxyrt dump}. Asked once for each connection.
     *
     * @return 8 ASCII characters at most; by default of the name of its class
     */
    default String name() {
        return getClass().getSimpleName().replace("Transport", "").toUpperCase(Locale.ROOT);
    }

    /**
     * Whether it connects ranks with a network that combines their data, and not with each other. Such a transport is
     * taken only by its name: RCCL's COLLNET has a path of its own.
     *
     * @return false for a transport that carries data from rank to rank; always the same
     */
    default boolean isCollective() {
        return false;
    }

    /**
     * What the transport's network carries out by itself. Any thread.
     *
     * @return nothing, for a transport that carries messages; always the same
     */
    default CollNetSupport collNet() {
        return CollNetSupport.NONE;
    }

    /**
     * The network adapters that {@link ConnectorRequest#adapter()} counts. Any thread.
     *
     * @return none, for a transport whose connections do not choose among any; always the same
     */
    default List<TransportAdapter> adapters() {
        return List.of();
    }

    /**
     * One line on what the transport found on this host, for {@code proxyrt info}.
     *
     * @return its networks or devices, and for what is unavailable the reason
     */
    String describe();

    /**
     * Client half: the body of the Setup request.
     *
     * @param request which connection is wanted
     * @return body for {@link #proxySetup}
     */
    ByteBuffer setupRequest(ConnectorRequest request);

    /**
     * Client half: what the peer has to know.
     *
     * @param request       which connection is wanted
     * @param setupResponse as {@link #proxySetup} left it
     * @return at most {@link #CONNECT_INFO_BYTES}
     */
    ByteBuffer connectInfo(ConnectorRequest request, ByteBuffer setupResponse);

    /**
     * Client half: the body of the Connect request. The caller's thread; may block for as long as setting up a
     * connection may take, such as to map memory of the peer.
     *
     * @param request  which connection is wanted
     * @param peerInfo what the peer's {@link #connectInfo} gave, not to be trusted; for a {@linkplain PeerInfo#network
     *                 network}, as {@link CollNetInfos} has it
     * @return body for {@link #proxyConnect}
     */
    ByteBuffer connectRequest(ConnectorRequest request, ByteBuffer peerInfo);

    /**
     * Client half: what the kernels get, from the Connect response.
     *
     * @param request         which connection is wanted
     * @param connectResponse as {@link #proxyConnect} left it
     * @return control words and buffers of the connection
     */
    DeviceConnection deviceConnection(ConnectorRequest request, ByteBuffer connectResponse);

    /**
     * Proxy half, service thread. Re-entrant: called again, with the same arguments, until it stops returning
     * {@link ProxyResult#IN_PROGRESS}. Never blocks.
     *
     * @param connection in state INITIALIZED; the transport keeps its resources there
     * @param request    body, not to be trusted
     * @param response   to be filled; 4096 bytes are free
     * @return SUCCESS or IN_PROGRESS
     * @throws io.proxyrt.core.ProxyException on failure; the state stays as it is
     */
    ProxyResult proxySetup(ProxyConnection connection, ByteBuffer request, ByteBuffer response);

    /**
     * Proxy half, service thread. Re-entrant, as {@link #proxySetup}.
     *
     * @param connection in state SETUP_DONE
     * @param request    body, not to be trusted
     * @param response   to be filled; 4096 bytes are free
     * @return SUCCESS or IN_PROGRESS
     * @throws io.proxyrt.core.ProxyException on failure; the state stays as it is
     */
    ProxyResult proxyConnect(ProxyConnection connection, ByteBuffer request, ByteBuffer response);

    /**
     * Proxy half, service thread: allocates what connections will share, ahead of their use. Re-entrant, as
     * {@link #proxySetup}.
     *
     * @param connection in state INITIALIZED, which holds it from now on
     * @param nChannels  to allocate for, not to be trusted
     * @param response   to be filled; 4096 bytes are free
     * @return SUCCESS or IN_PROGRESS
     * @throws io.proxyrt.core.ProxyException on failure; the state stays as it is
     */
    default ProxyResult proxySharedInit(ProxyConnection connection, int nChannels, ByteBuffer response) {
        throw new ProxyException(ProxyResult.INVALID_USAGE, connection + ": its transport shares nothing");
    }

    /**
     * Proxy half, service thread: makes memory reachable for the connection. Re-entrant, as {@link #proxySetup}.
     *
     * @param connection   in state CONNECTED
     * @param registration of memory that is there, its range checked; the transport keeps its handle in it
     * @return SUCCESS or IN_PROGRESS
     * @throws io.proxyrt.core.ProxyException on failure; then nothing is registered
     */
    default ProxyResult proxyRegister(ProxyConnection connection, ProxyRegistration registration) {
        throw new ProxyException(ProxyResult.INVALID_USAGE, connection + ": its transport registers no memory");
    }

    /**
     * Proxy half, service thread: undoes {@link #proxyRegister}, finished or not; also before {@link #proxyFree}, for
     * what is still registered. The memory is released right after.
     *
     * @param connection   of the registration
     * @param registration as it was registered
     */
    default void proxyDeregister(ProxyConnection connection, ProxyRegistration registration) {
    }

    /**
     * Proxy half, service thread: gives back all that set-up took. The progress thread has let go of the connection.
     * Called once for each connection that saw {@link #proxySetup}, also after a failure.
     *
     * @param connection in any state
     */
    void proxyFree(ProxyConnection connection);

    /**
     * The function the progress thread calls.
     *
     * @param direction of the connection
     * @return null if that direction needs no proxy
     */
    ProxyProgress progress(Direction direction);

    /**
     * Does for all connections at once what each of them would have to do by itself, ahead of a pass over ops. Progress
     * thread; does not block, allocate or throw.
     *
     * @param ops how many groups of them will be advanced, of all transports; at least 1
     */
    default void poll(int ops) {
    }

    /**
     * What the runtime has to notice of the peers of its connections.
     *
     * @return SILENCE if connections fail by themselves when their peer is gone; always the same
     */
    default WatchKind watch() {
        return WatchKind.SILENCE;
    }

    /**
     * Whether {@link #park} ends when data come, so that a thread that drives this and other
     * transports sleeps there.
     *
     * @return false if it only lets time go by; always the same
     */
    default boolean isWaitable() {
        return false;
    }

    /**
     * Waits until data may have moved on one of the transport's connections, or the time is up. Only called while no
     * kernel runs, in INVOKER mode by the thread that drives the progress agent, and if it {@link #isWaitable()}.
     *
     * @param maxNs longest wait, in nanoseconds
     */
    default void park(long maxNs) {
        LockSupport.parkNanos(maxNs);
    }

    /** Gives back what the transport holds; all connections are freed before. */
    @Override
    void close();
}
