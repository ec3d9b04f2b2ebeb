/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.SetUpCall;
import io.proxyrt.core.plugin.SetUpThread;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * An attempt to connect, on a thread of its own: participants that connect several comms need not do so in one order.
 * NCCL has no call to give an attempt up: the thread is left to it.
 */
final class ExternalConnectComm implements CollNetConnectComm {
    private final ExternalCollNet net;
    private final ExternalDevice device;
    private final int nRanks;
    private final int rank;
    private final ExternalListenComm listen;
    private final SetUpThread thread = new SetUpThread("proxyrt-plugin-connect");
    private final SetUpCall connect;
    private boolean isOver;

    ExternalConnectComm(ExternalCollNet net, ExternalDevice device, List<ByteBuffer> handles, int rank,
            ExternalListenComm listen) {
        this.net = net;
        this.device = device;
        this.nRanks = handles.size();
        this.rank = rank;
        this.listen = listen;
        MemorySegment all = Arena.ofAuto().allocate((long) nRanks * CollNetLibrary.HANDLE_BYTES, Long.BYTES);
        for (int i = 0; i < nRanks; i++) {
            MemorySegment.copy(MemorySegment.ofBuffer(handles.get(i)), 0, all, (long) i * CollNetLibrary.HANDLE_BYTES,
                    CollNetLibrary.HANDLE_BYTES);
        }
        this.connect = new SetUpCall(thread, () -> connected(all));
        net.use().opened();
        listen.used();
    }

    private long connected(MemorySegment handles) {
        long comm = net.library().connect(handles, nRanks, rank, listen.comm());
        if (comm == 0) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, device.describe(net.library())
                    + " connects " + nRanks + " participants, and gives no comm");
        }
        return comm;
    }

    @Override
    public CollNetComm connect() {
        long comm = isOver ? 0 : connect.ask();
        if (comm == 0) {
            return null;
        }
        CollNetComm connected = new ExternalComm(net, device, comm, nRanks, rank);
        close();
        return connected;
    }

    @Override
    public void close() {
        if (!isOver) {
            isOver = true;
            connect.end(this::close);
            thread.close();
        }
    }

    /** With a comm that came too late, or 0. */
    private void close(long comm) {
        if (comm == 0) {
            net.use().closed();
        } else {
            net.use().end("a comm", () -> net.library().closeColl(comm));
        }
        listen.unused();
    }
}
