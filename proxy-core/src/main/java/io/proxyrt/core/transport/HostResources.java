/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.ProxyConnection;
import java.nio.ByteBuffer;

/**
 * What a connection of a {@link HostTransport} owns, at the proxy. The service thread fills it; once the connection is
 * set up the progress thread uses its engine.
 *
 * @param <P> what the peer made
 */
public abstract class HostResources<P extends OpenedEnd> implements CopyEngine.Holder, AutoCloseable {
    private final ConnectorEnd end;
    private final AutoCloseable own;
    private final CopyEngine engine;
    private final MemoryAccount account;
    private P peer;
    private long ticket;

    /**
     * Of a connection that is set up, from now on the owner of the rest.
     *
     * @param end     of this rank
     * @param own     what this rank made for it
     * @param engine  null where no proxy copies
     * @param account of the connection; the engine's memory is added
     */
    protected HostResources(ConnectorEnd end, AutoCloseable own, CopyEngine engine, MemoryAccount account) {
        this.end = end;
        this.own = own;
        this.engine = engine;
        this.account = account;
        if (engine != null) {
            account.add(MemoryUse.CONTROL, engine.control().bytes());
            account.add(MemoryUse.SIMPLE, engine.fifo().bytes());
        }
    }

    /** {@inheritDoc} Null where no proxy copies. */
    @Override
    public final CopyEngine engine() {
        return engine;
    }

    /**
     * What the peer made.
     *
     * @return null before Connect
     */
    protected final P peer() {
        return peer;
    }

    /**
     * What the peer has to know of this end: the answer to Setup.
     *
     * @param response to write it to
     */
    protected abstract void connectInfo(ByteBuffer response);

    /**
     * Whether the peer has opened this end, and so needs this rank no more for it.
     *
     * @return false as long as this rank has to answer
     */
    protected abstract boolean isTaken();

    /**
     * The peer's end was opened, and is this one's from now on.
     *
     * @param taken the new {@link #peer()}
     */
    protected void attached(P taken) {
        // Who has nothing to tell the peer need not.
    }

    /**
     * Connects the engine, as {@link CopyEngine#connect}.
     *
     * @param slots       the other side of the copies
     * @param offset      where they begin
     * @param words       memory with the words that belong to them
     * @param wordsOffset where these begin
     * @param isForProxy  whether a proxy reads them
     */
    protected final void connectEngine(DeviceMemory slots, long offset, DeviceMemory words, long wordsOffset,
            boolean isForProxy) {
        account.add(MemoryUse.CONTROL, engine.connect(slots, offset, words, wordsOffset, isForProxy));
    }

    /** Takes the peer's end over: the first time, or if the client tells of another one. */
    final void attach(ProxyConnection connection, Tickets<P> tickets, long number) {
        if (number == ticket && peer != null) {
            return;
        }
        P taken = tickets.take(number);
        if (!taken.end().isOtherEnd(end)) {
            taken.close();
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, tickets.name() + " Connect request of " + connection
                    + " with the ticket of another connection");
        }
        P before = peer;
        peer = taken;
        ticket = number;
        attached(taken);
        if (before != null) {
            before.close();
        }
    }

    /** Gives everything back. Idempotent. */
    @Override
    public final void close() {
        try (Owned owned = new Owned()) {
            owned.add(account);
            owned.add(peer);
            owned.add(own);
            owned.add(engine);
        }
    }
}
