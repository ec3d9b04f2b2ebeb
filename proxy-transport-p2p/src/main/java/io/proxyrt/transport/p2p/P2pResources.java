/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.KernelAddresses;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.transport.CopyEngine;
import io.proxyrt.core.transport.HostResources;
import io.proxyrt.core.transport.Owned;
import io.proxyrt.transport.p2p.P2pMessages.Setup;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** What a connection owns, at the proxy: the memory of both ends, as this rank reaches it. */
final class P2pResources extends HostResources<PeerEnd> {
    private final OwnEnd own;

    private P2pResources(OwnEnd own, CopyEngine engine, MemoryAccount account) {
        super(own.info().setup().end(), own, engine, account);
        this.own = own;
        account(account);
    }

    /** Makes this end's memory, and the engine if the proxy is to copy. */
    static P2pResources make(P2pParts parts, ProxyConnection connection, Setup setup) {
        try (Owned owned = new Owned()) {
            OwnEnd own = owned.add(OwnEnd.make(parts, setup));
            P2pSettings settings = parts.settings();
            CopyEngine engine = settings.copies(setup.end().direction()) ? owned.add(parts.lanes().engine(setup.end(),
                    settings.buffers().simple(), settings.cpuCopyBytes())) : null;
            P2pResources made = new P2pResources(own, engine, parts.accounts().open("P2P", connection.id(),
                    connection.peer(), connection.direction()));
            owned.release();
            return made;
        }
    }

    private void account(MemoryAccount account) {
        EndLayout layout = own.info().layout();
        long slots = 0;
        for (Protocol protocol : Protocol.values()) {
            if (layout.has(protocol)) {
                account.add(MemoryUse.of(protocol), layout.buffers().of(protocol));
                slots += layout.buffers().of(protocol);
            }
        }
        account.add(MemoryUse.CONTROL, layout.bytes() - slots);
    }

    @Override
    protected void connectInfo(ByteBuffer response) {
        own.info().encode(response);
    }

    @Override
    protected boolean isTaken() {
        return own.offer().isTaken().getAsBoolean();
    }

    /** What the kernels get. */
    DeviceConnection connection() {
        boolean isSend = own.info().layout().direction() == Direction.SEND;
        Side sender = isSend ? new Side(own.info().layout(), own.memory())
                : new Side(peer().info().layout(), peer().memory());
        Side receiver = isSend ? new Side(peer().info().layout(), peer().memory())
                : new Side(own.info().layout(), own.memory());
        Part sendMem = new Part(sender.memory, 0, SendMem.WORDS_BYTES);
        Part recvMem = new Part(receiver.memory, 0, RecvMem.WORDS_BYTES);
        Part simple = (sender.layout.isRead() ? sender : receiver).slots(Protocol.SIMPLE);
        CopyEngine engine = engine();
        if (engine != null) {
            connectEngine(receiver.memory, simple.offset, recvMem.memory, recvMem.offset, false);
            recvMem = new Part(engine.control(), 0, RecvMem.WORDS_BYTES);
            simple = new Part(engine.fifo(), 0, simple.bytes);
        }
        return connection(sendMem, recvMem, receiver.slots(Protocol.LL), receiver.slots(Protocol.LL128), simple);
    }

    private DeviceConnection connection(Part sendMem, Part recvMem, Part ll, Part ll128, Part simple) {
        SendMem head = new SendMem(sendMem.range());
        RecvMem tail = new RecvMem(recvMem.range());
        DeviceConnection connection = engine() == null
                ? DeviceConnection.direct(head, tail, ll.range(), ll128.range(), simple.range())
                : DeviceConnection.copyEngine(head, tail, ll.range(), ll128.range(), simple.range());
        return connection.with(new KernelAddresses(sendMem.address(), recvMem.address(), ll.address(),
                ll128.address(), simple.address(), peer().hasWholeLines()));
    }

    /** The memory of the sending or the receiving end, as this rank reaches it. */
    private record Side(EndLayout layout, DeviceMemory memory) {
        Part slots(Protocol protocol) {
            return new Part(memory, layout.offset(protocol), layout.buffers().of(protocol));
        }
    }

    private record Part(DeviceMemory memory, long offset, long bytes) {
        MemorySegment range() {
            return memory.range().asSlice(offset, bytes);
        }

        long address() {
            return memory.address() + offset;
        }
    }
}
