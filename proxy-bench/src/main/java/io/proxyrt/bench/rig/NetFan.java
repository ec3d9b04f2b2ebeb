/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Many connections one way between two processes, with messages of eight bytes: the sending or the receiving end. */
final class NetFan implements AutoCloseable {
    private static final int BYTES = Long.BYTES;

    private final NetPlugin plugin;
    private final List<NetListenComm> listening = new ArrayList<>();
    private final NetComm[] comms;
    private final NetMemory[][] memories;
    private final long[] requests;
    private final long[][] sizes;
    private final int[] results;
    private final long[] offset = new long[1];
    private final long[] size = {BYTES};
    private final int[] tag = new int[1];
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer;

    private NetFan(NetPlugin plugin, int connections) {
        this.plugin = plugin;
        this.comms = new NetComm[connections];
        this.memories = new NetMemory[connections][1];
        this.requests = new long[connections];
        this.sizes = new long[connections][1];
        this.results = new int[connections];
        this.buffer = arena.allocate(ValueLayout.JAVA_LONG);
    }

    /** The receiving end, which has yet to be connected to. */
    static NetFan listen(NetPlugin plugin, int connections) {
        NetFan fan = new NetFan(plugin, connections);
        for (int i = 0; i < connections; i++) {
            fan.listening.add(plugin.listen(NetEnd.DEVICE));
        }
        return fan;
    }

    /** What the sending end needs; one word. */
    String handles() {
        return String.join(",", listening.stream().map(NetEnd::handle).toList());
    }

    /** Waits for the sending end, then posts a receive on every connection. */
    void accept() {
        for (int i = 0; i < comms.length; i++) {
            NetListenComm listen = listening.get(i);
            NetRecvComm comm = NetEnd.await(listen::accept);
            listen.close();
            add(i, comm);
            post(i);
        }
    }

    /** The sending end. */
    static NetFan connect(NetPlugin plugin, String handles) {
        String[] all = handles.split(",");
        NetFan fan = new NetFan(plugin, all.length);
        NetConnectComm[] attempts = new NetConnectComm[all.length];
        for (int i = 0; i < all.length; i++) {
            attempts[i] = NetEnd.connect(plugin, all[i]);
        }
        for (int i = 0; i < all.length; i++) {
            try (NetConnectComm attempt = attempts[i]) {
                fan.add(i, NetEnd.await(attempt::connect));
            }
        }
        return fan;
    }

    /** Sends a message on so many connections, from one of them on. */
    void send(int first, int count) {
        for (int i = first; i < first + count; i++) {
            NetSendComm comm = (NetSendComm) comms[i];
            long request = NetEnd.checked(comm, comm.isend(memories[i][0], 0, BYTES, 0));
            while (NetEnd.checked(comm, comm.test(request, sizes[i])) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    /** Asks every connection for its message, and posts another receive for those that have it. Returns how many. */
    int receive(boolean isBatch) {
        if (isBatch) {
            plugin.testBatch(comms.length, comms, requests, results, sizes);
        } else {
            for (int i = 0; i < comms.length; i++) {
                results[i] = comms[i].test(requests[i], sizes[i]);
            }
        }
        int received = 0;
        for (int i = 0; i < comms.length; i++) {
            if (NetEnd.checked(comms[i], results[i]) > 0) {
                post(i);
                received++;
            }
        }
        return received;
    }

    private void add(int i, NetComm comm) {
        comms[i] = comm;
        memories[i][0] = comm.regMr(buffer);
    }

    private void post(int i) {
        NetRecvComm comm = (NetRecvComm) comms[i];
        requests[i] = NetEnd.checked(comm, comm.irecv(1, memories[i], offset, size, tag));
    }

    @Override
    public void close() {
        listening.forEach(NetListenComm::close);
        Arrays.stream(memories).forEach(memory -> memory[0].close());
        Arrays.stream(comms).forEach(NetComm::close);
        arena.close();
    }
}
