/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.counters.Traffic;
import io.proxyrt.core.device.DeviceConnection;
import java.util.List;
import java.util.Objects;

/**
 * The proxy's side of a connection. The service thread owns it while it is set up and freed; between CONNECTED and
 * CLOSING the progress thread uses its resources.
 */
public final class ProxyConnection {
    private static final PeerId NO_OWNER = new PeerId(-1, 0);

    private final long id;
    private final ProxyTransport transport;
    private final Direction direction;
    private final int peer;
    private final PeerId owner;
    private final ProxyProgress progress;
    /** By handle, ascending; replaced at each change, so that the progress thread looks handles up without a box. */
    private volatile ProxyRegistration[] registrations = {};
    private AppendQueue appendQueue = new AppendQueue();
    private boolean shared;
    private boolean expendable;
    private Object resources;
    private volatile ConnectionState state = ConnectionState.INITIALIZED;
    private volatile boolean detached;
    private volatile ProxyException failure;
    private volatile DeviceConnection device;
    private volatile String peerName;
    private volatile ProxyException loss;
    /** The progress thread's. */
    private boolean isTrafficOpen;
    private final String transportName;

    /**
     * A connection in state INITIALIZED without an owner: for driving a transport by hand.
     *
     * @param id        index and generation
     * @param transport carries its data
     * @param direction of the data
     * @param peer      rank at the other end
     */
    public ProxyConnection(long id, ProxyTransport transport, Direction direction, int peer) {
        this(id, transport, direction, peer, NO_OWNER);
    }

    /**
     * A connection in state INITIALIZED.
     *
     * @param id        index and generation
     * @param transport carries its data
     * @param direction of the data
     * @param peer      rank at the other end
     * @param owner     the process that made it and posts its ops
     */
    public ProxyConnection(long id, ProxyTransport transport, Direction direction, int peer, PeerId owner) {
        this.id = id;
        this.owner = Objects.requireNonNull(owner);
        this.transport = Objects.requireNonNull(transport);
        this.direction = direction;
        this.peer = peer;
        this.peerName = "rank " + peer;
        this.progress = transport.progress(direction);
        this.transportName = transport.name();
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
     * The process that made it and posts its ops.
     *
     * @return a process, and its rank
     */
    public PeerId owner() {
        return owner;
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
     * Memory that was registered with it. Any thread; allocates nothing.
     *
     * @param handle not to be trusted
     * @return null if there is none with this handle
     */
    public ProxyRegistration registration(long handle) {
        ProxyRegistration[] all = registrations;
        int index = insertionPoint(all, handle);
        return index < all.length && all[index].handle() == handle ? all[index] : null;
    }

    /**
     * All memory that is registered with it; service thread.
     *
     * @return a copy, by handle
     */
    public List<ProxyRegistration> registrations() {
        return List.of(registrations);
    }

    /**
     * Makes registered memory known; service thread.
     *
     * @param registration with a handle that no other has
     */
    public void add(ProxyRegistration registration) {
        ProxyRegistration[] before = registrations;
        int index = insertionPoint(before, registration.handle());
        ProxyRegistration[] after = new ProxyRegistration[before.length + 1];
        System.arraycopy(before, 0, after, 0, index);
        after[index] = registration;
        System.arraycopy(before, index, after, index + 1, before.length - index);
        assert index == before.length || before[index].handle() != registration.handle() : registration.handle();
        registrations = after;
    }

    /**
     * Undoes {@link #add}; service thread.
     *
     * @param registration may be unknown
     */
    public void remove(ProxyRegistration registration) {
        registrations = List.of(registrations).stream().filter(other -> other != registration)
                .toArray(ProxyRegistration[]::new);
    }

    private static int insertionPoint(ProxyRegistration[] all, long handle) {
        int low = 0;
        int high = all.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (all[middle].handle() < handle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Puts its ops into a queue with those of other connections; service thread, before CONNECTED.
     *
     * @param queue shared
     */
    public void share(AppendQueue queue) {
        assert appendQueue.tail == null : this;
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
     * Makes the connection expendable; service thread, before CONNECTED. Once it has failed, ops that are posted for it
     * are dropped, and neither they nor the ops that failed with it are a failure of the runtime. Kernels learn of it
     * by their {@link DeviceConnection}; what posts the ops has another way for its data.
     */
    public void expend() {
        expendable = true;
    }

    /** Why it takes no ops; null if it does. */
    String whyNoOps() {
        ConnectionState now = state;
        if (now != ConnectionState.CONNECTED || progress == null) {
            return this + " is in state " + now;
        }
        ProxyException before = failure;
        return before == null ? null : this + " failed before: " + before.getMessage();
    }

    /** Whether it is expendable and has failed: what posts its ops may not know yet. */
    boolean isGivenUp() {
        return expendable && failure != null;
    }

    /** Whether its failure is none of the runtime. */
    boolean isExpendable() {
        return expendable;
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
        assert this.state.mayBecome(state) : this + " is " + this.state + " and cannot become " + state;
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

    /** What tools call what carries its data. */
    String transportName() {
        return transportName;
    }

    /** An op of it has ended; progress thread. */
    void carried(Traffic traffic, long bytes, long steps, long nowNs) {
        if (!isTrafficOpen) {
            isTrafficOpen = true;
            traffic.open(id, direction, peer, transportName);
        }
        traffic.add(id, bytes, steps, nowNs);
    }

    /** The progress thread has let go: its resources may be freed. */
    void detach() {
        assert failure != null : this;
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

    /** Both sides store first and look afterwards: this, and {@link #attach}. */
    void fail(ProxyException cause) {
        failure = cause;
        DeviceConnection kernels = device;
        if (kernels != null) {
            kernels.fail(cause);
        }
    }

    /**
     * Tells kernels too what becomes of it; service thread.
     *
     * @param kernels what they have of this connection
     */
    public void attach(DeviceConnection kernels) {
        device = kernels;
        ProxyException cause = failure;
        if (cause != null) {
            kernels.fail(cause);
        }
    }

    /**
     * Says which process is at the other end, for messages; service thread.
     *
     * @param pid its number
     */
    public void peerPid(long pid) {
        peerName = "rank " + peer + " (pid " + pid + ")";
    }

    /**
     * Says what is at the other end if that is no rank, for messages; service thread.
     *
     * @param name of a network, such as its switch
     */
    public void peerName(String name) {
        peerName = name;
    }

    /**
     * The rank at the other end is gone: what it left can still be fetched. Service thread.
     *
     * @param cause says why
     */
    public void lose(ProxyException cause) {
        loss = cause;
        DeviceConnection kernels = device;
        if (kernels != null) {
            kernels.lose(cause);
        }
    }

    /**
     * Why the rank at the other end is gone. Any thread.
     *
     * @return null while it is there, or that is not known
     */
    public ProxyException loss() {
        return loss;
    }

    AppendQueue appendQueue() {
        return appendQueue;
    }

    ProxyProgress progress() {
        return progress;
    }

    @Override
    public String toString() {
        return "connection " + Long.toHexString(id) + (direction == Direction.SEND ? " to " : " from ") + peerName;
    }
}
