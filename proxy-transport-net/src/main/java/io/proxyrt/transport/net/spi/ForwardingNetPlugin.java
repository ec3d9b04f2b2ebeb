/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.spi;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A network that stands before another one, such as one that counts or injects faults: what a subclass does not do
 * itself, the other does. Batches are tested comm by comm, as comms may be the subclass's own; one that makes none
 * passes {@link #testBatch} on.
 */
public abstract class ForwardingNetPlugin implements NetPlugin {
    /** The other network; closed with this one. */
    protected final NetPlugin net;

    /**
     * Stands before a network.
     *
     * @param net owned by this one
     */
    protected ForwardingNetPlugin(NetPlugin net) {
        this.net = net;
    }

    @Override
    public String name() {
        return net.name();
    }

    @Override
    public int devices() {
        return net.devices();
    }

    @Override
    public String describe() {
        return net.describe();
    }

    @Override
    public List<String> explain() {
        return net.explain();
    }

    @Override
    public NetProperties properties(int dev) {
        return net.properties(dev);
    }

    @Override
    public boolean isRegistrationGlobal(int dev) {
        return net.isRegistrationGlobal(dev);
    }

    @Override
    public NetListenComm listen(int dev) {
        return net.listen(dev);
    }

    @Override
    public NetConnectComm connect(int dev, ByteBuffer handle) {
        return net.connect(dev, handle);
    }

    @Override
    public void poll() {
        net.poll();
    }

    @Override
    public void park(long maxNs) {
        net.park(maxNs);
    }

    @Override
    public void close() {
        net.close();
    }
}
