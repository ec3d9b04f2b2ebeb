/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.CopyEngine;
import io.proxyrt.core.transport.HostResources;
import io.proxyrt.core.transport.Owned;
import io.proxyrt.transport.shm.ShmMessages.ConnectInfo;
import io.proxyrt.transport.shm.ShmMessages.Setup;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** What a connection owns, at the proxy: the segments of both ends. */
final class ShmResources extends HostResources<PeerSegment> {
    private final ConnectInfo info;
    private final Segment own;

    private ShmResources(ConnectInfo info, Segment own, CopyEngine engine, MemoryAccount account) {
        super(info.setup().end(), own, engine, account);
        this.info = info;
        this.own = own;
        account(account);
    }

    /** Makes the segment, in its initial state, and the engine if the proxy is to copy. */
    static ShmResources make(ShmParts parts, ProxyConnection connection, Setup setup) {
        ShmSettings settings = parts.settings();
        ConnectorEnd end = setup.end();
        boolean hasBuffers = settings.hasBuffers(end.direction());
        boolean isCopied = settings.copies(end.direction());
        try (Owned owned = new Owned()) {
            Segment own = owned.add(parts.kinds().make(setup.kind(),
                    SegmentLayout.bytes(hasBuffers, settings.buffers()), end.remoteRank()));
            CopyEngine engine = isCopied ? owned.add(parts.lanes().engine(end, settings.buffers().simple(),
                    settings.cpuCopyBytes())) : null;
            SegmentLayout layout = SegmentLayout.of(own.memory().id(), hasBuffers, settings.buffers());
            ConnectInfo info = new ConnectInfo(setup, settings.locality(), isCopied, layout, parts.token(),
                    own.address());
            reset(own.memory().segment(), info);
            ShmResources made = new ShmResources(info, own, engine, parts.accounts().open("SHM", connection.id(),
                    connection.peer(), connection.direction()));
            owned.release();
            return made;
        }
    }

    private static void reset(MemorySegment segment, ConnectInfo info) {
        if (info.setup().end().direction() == Direction.RECV) {
            new RecvMem(info.layout().control(segment)).reset(RecvMem.MODE_NORMAL);
        }
        SegmentHeader.write(segment, info.token(), info.layout());
    }

    private void account(MemoryAccount account) {
        SegmentLayout layout = info.layout();
        account.add(MemoryUse.CONTROL, layout.bytes() - (layout.hasBuffers() ? layout.buffers().sum() : 0));
        for (Protocol protocol : Protocol.values()) {
            account.add(MemoryUse.of(protocol), layout.hasBuffers() ? layout.buffers().of(protocol) : 0);
        }
    }

    @Override
    protected void connectInfo(ByteBuffer response) {
        info.encode(response);
    }

    /** Tells its maker. */
    @Override
    protected void attached(PeerSegment taken) {
        taken.attach();
    }

    /** {@inheritDoc} No process can map it any more then. */
    @Override
    protected boolean isTaken() {
        boolean isAttached = SegmentHeader.isAttached(own.memory().segment());
        if (isAttached) {
            own.seal();
        }
        return isAttached;
    }

    /** Where everything is; each rank polls what lies in its own segment. */
    ShmMap map() {
        ShmMap map = new ShmMap();
        CopyEngine engine = engine();
        SegmentLayout layout = info.layout();
        boolean isSend = info.setup().end().direction() == Direction.SEND;
        DeviceMemory buffers = layout.hasBuffers() ? own.memory() : peer().memory();
        map.sendMem(isSend ? own.memory() : peer().memory(), control(isSend));
        map.recvMem(isSend ? peer().memory() : own.memory(), control(!isSend));
        for (Protocol protocol : Protocol.values()) {
            map.buffer(protocol, buffers, layout.offset(protocol), layout.buffers().of(protocol));
        }
        if (engine != null) {
            DeviceMemory words = isSend ? peer().memory() : own.memory();
            connectEngine(buffers, layout.offset(Protocol.SIMPLE), words, control(!isSend),
                    isSend && peer().info().isCopied());
            map.recvMem(engine.control(), 0);
            map.buffer(Protocol.SIMPLE, engine.fifo(), 0, engine.fifo().bytes());
        }
        if (engine != null || peer().info().isCopied() && isSend) {
            // A receiving proxy has to be told of sizes, which a direct kernel does not store.
            map.simpleIsCopied();
        }
        return map;
    }

    private long control(boolean isOwn) {
        return (isOwn ? info : peer().info()).layout().control();
    }
}
