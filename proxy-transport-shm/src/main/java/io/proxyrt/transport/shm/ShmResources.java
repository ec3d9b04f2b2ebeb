/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.transport.CopyEngine;
import io.proxyrt.core.transport.Owned;
import io.proxyrt.core.transport.Tickets;
import io.proxyrt.transport.shm.ShmMessages.ConnectInfo;
import io.proxyrt.transport.shm.ShmMessages.Setup;
import java.lang.foreign.MemorySegment;

/**
 * What a connection owns, at the proxy. The service thread fills it; once the connection is set up the progress thread
 * uses its engine.
 */
final class ShmResources implements CopyEngine.Holder {
    private final ConnectInfo info;
    private final Segment own;
    /** Null where no proxy copies. */
    private final CopyEngine engine;
    private final MemoryAccount account;
    private PeerSegment peer;
    private long ticket;

    private ShmResources(ConnectInfo info, Segment own, CopyEngine engine, MemoryAccount account) {
        this.info = info;
        this.own = own;
        this.engine = engine;
        this.account = account;
    }

    /** Makes the segment, in its initial state, and the engine if the proxy is to copy. */
    static ShmResources make(ShmParts parts, ProxyConnection connection, Setup setup) {
        ShmSettings settings = parts.settings();
        boolean hasBuffers = settings.hasBuffers(setup.direction());
        boolean isCopied = settings.copies(setup.direction());
        try (Owned owned = new Owned()) {
            Segment own = owned.add(parts.kinds().make(setup.kind(),
                    SegmentLayout.bytes(hasBuffers, settings.buffers()), setup.remoteRank()));
            CopyEngine engine = isCopied ? owned.add(new CopyEngine(parts.device(), "proxy-copy-" + setup.rank() + '-'
                    + connection.id(), setup.direction(), settings.buffers().simple(), settings.cpuCopyBytes())) : null;
            SegmentLayout layout = SegmentLayout.of(own.memory().id(), hasBuffers, settings.buffers());
            ConnectInfo info = new ConnectInfo(setup, settings.locality(), isCopied, layout, parts.token(),
                    own.address());
            reset(own.memory().segment(), info);
            ShmResources made = new ShmResources(info, own, engine, parts.accounts().open("SHM", connection.id(),
                    connection.peer(), connection.direction()));
            made.account();
            owned.release();
            return made;
        }
    }

    private static void reset(MemorySegment segment, ConnectInfo info) {
        if (info.setup().direction() == Direction.RECV) {
            new RecvMem(info.layout().control(segment)).reset(RecvMem.MODE_NORMAL);
        }
        SegmentHeader.write(segment, info.token(), info.layout());
    }

    private void account() {
        SegmentLayout layout = info.layout();
        account.add(MemoryUse.CONTROL, layout.bytes() - (layout.hasBuffers() ? layout.buffers().sum() : 0));
        for (Protocol protocol : Protocol.values()) {
            account.add(MemoryUse.of(protocol), layout.hasBuffers() ? layout.buffers().of(protocol) : 0);
        }
        if (engine != null) {
            account.add(MemoryUse.CONTROL, engine.control().bytes());
            account.add(MemoryUse.SIMPLE, engine.fifo().bytes());
        }
    }

    ConnectInfo info() {
        return info;
    }

    /** {@inheritDoc} Null where no proxy copies. */
    @Override
    public CopyEngine engine() {
        return engine;
    }

    /** Takes the peer's segment over: the first time, or if the client tells of another one. */
    void attach(ProxyConnection connection, Tickets<PeerSegment> segments, long number) {
        if (number == ticket && peer != null) {
            return;
        }
        PeerSegment taken = segments.take(number);
        if (!taken.info().setup().isOtherEnd(info.setup())) {
            taken.close();
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "SHM Connect request of " + connection
                    + " with the ticket of another connection");
        }
        PeerSegment before = peer;
        peer = taken;
        ticket = number;
        peer.attach();
        if (before != null) {
            before.close();
        }
    }

    /** Whether the peer has mapped this rank's segment; then nobody else can any more. */
    boolean isAttached() {
        boolean isAttached = SegmentHeader.isAttached(own.memory().segment());
        if (isAttached) {
            own.seal();
        }
        return isAttached;
    }

    /** Where everything is; each rank polls what lies in its own segment. */
    ShmMap map() {
        ShmMap map = new ShmMap();
        SegmentLayout layout = info.layout();
        boolean isSend = info.setup().direction() == Direction.SEND;
        DeviceMemory buffers = layout.hasBuffers() ? own.memory() : peer.memory();
        map.sendMem(isSend ? own.memory() : peer.memory(), control(isSend));
        map.recvMem(isSend ? peer.memory() : own.memory(), control(!isSend));
        for (Protocol protocol : Protocol.values()) {
            map.buffer(protocol, buffers, layout.offset(protocol), layout.buffers().of(protocol));
        }
        if (engine != null) {
            DeviceMemory words = isSend ? peer.memory() : own.memory();
            engine.connect(buffers, layout.offset(Protocol.SIMPLE), new RecvMem(words.segment().asSlice(
                    control(!isSend), RecvMem.WORDS_BYTES)), isSend && peer.info().isCopied());
            map.recvMem(engine.control(), 0);
            map.buffer(Protocol.SIMPLE, engine.fifo(), 0, engine.fifo().bytes());
        }
        if (engine != null || peer.info().isCopied() && isSend) {
            // A receiving proxy has to be told of sizes, which a direct kernel does not store.
            map.simpleIsCopied();
        }
        return map;
    }

    private long control(boolean isOwn) {
        return (isOwn ? info : peer.info()).layout().control();
    }

    /** Gives everything back. Idempotent. */
    void free() {
        try (Owned owned = new Owned()) {
            owned.add(account);
            owned.add(peer);
            owned.add(own);
            owned.add(engine);
        }
    }
}
