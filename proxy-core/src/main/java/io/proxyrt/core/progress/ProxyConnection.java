/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.spi.ProxyProgress;
import io.proxyrt.core.spi.ProxyTransport;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The proxy's side of a connection. The service thread owns it while it is set up and freed; between CONNECTED and
 * CLOSING the progress thread uses its resources.
 */
public final class ProxyConnection {
    private final long id;
    private final ProxyTransport transport;
    private final Direction direction;
    private final int peer;
    private final ProxyProgress progress;
    private final Map<Long, ProxyRegistration> registrations = new ConcurrentHashMap<>();
    private AppendQueue appendQueue = new AppendQueue();
    private boolean shared;
    private Object resources;
    private volatile ConnectionState state = ConnectionState.INITIALIZED;
    private volatile boolean detached;
    private volatile ProxyException failure;

    /**
     * A connection in state INITIALIZED.
     *
     * @param id        index and generation
     * @param transport carries its data
     * @param direction of the data
     * @param peer      rank at the other end
     */
    public ProxyConnection(long id, ProxyTransport transport, Direction direction, int peer) {
        this.id = id;
        this.transport = Objects.requireNonNull(transport);
        this.direction = direction;
        this.peer = peer;
        this.progress = transport.progress(direction);
    }

    /**
     * Names the connection: {@code generation << 32 | index}, never an address.
     *
     * @return never 0
     */
    public long id() {
        return id;
    }

    /**
     * Which way data flows.
     *
     * @return the direction
     */
    public Direction direction() {
        return direction;
    }

    /**
     * The rank at the other end.
     *
     * @return its number
     */
    public int peer() {
        return peer;
    }

    /**
     * What carries its data.
     *
     * @return never null
     */
    public ProxyTransport transport() {
        return transport;
    }

    /**
     * What the transport keeps here.
     *
     * @return null before Setup
     */
    public Object resources() {
        return resources;
    }

    /**
     * Keeps the transport's state; service thread.
     *
     * @param resources the transport's own
     */
    public void resources(Object resources) {
        this.resources = resources;
    }

    /**
     * Memory that was registered with it. Any thread.
     *
     * @param handle not to be trusted
     * @return null if there is none with this handle
     */
    public ProxyRegistration registration(long handle) {
        return registrations.get(handle);
    }

    /**
     * All memory that is registered with it, by handle; service thread.
     *
     * @return live
     */
    public Map<Long, ProxyRegistration> registrations() {
        return registrations;
    }

    /**
     * Puts its ops into a queue with those of other connections; service thread, before CONNECTED.
     *
     * @param queue shared
     */
    public void share(AppendQueue queue) {
        this.appendQueue = Objects.requireNonNull(queue);
        this.shared = true;
    }

    /**
     * Whether ops of one opCount become subs of one group.
     *
     * @return false for a dedicated connection
     */
    public boolean isShared() {
        return shared;
    }

    /**
     * Where it stands. Any thread.
     *
     * @return the state
     */
    public ConnectionState state() {
        return state;
    }

    /**
     * Moves on; service thread. The volatile store publishes what Setup and Connect left in {@link #resources()}: it
     * pairs with the progress thread's load of the state when it appends an op.
     *
     * @param state the next one
     */
    public void state(ConnectionState state) {
        this.state = state;
    }

    /**
     * Why no op can use it any more. Any thread.
     *
     * @return null while it is sound
     */
    public ProxyException failure() {
        return failure;
    }

    /** The progress thread has let go: its resources may be freed. */
    void detach() {
        detached = true;
    }

    /**
     * Whether the progress thread has let go.
     *
     * @return true once no op uses it
     */
    public boolean isDetached() {
        return detached;
    }

    void fail(ProxyException cause) {
        failure = cause;
    }

    AppendQueue appendQueue() {
        return appendQueue;
    }

    ProxyProgress progress() {
        return progress;
    }

    @Override
    public String toString() {
        return "connection " + Long.toHexString(id) + (direction == Direction.SEND ? " to" : " from") + " rank " + peer;
    }
}
