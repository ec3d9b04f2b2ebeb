/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.NetProviders;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.Supplier;

/**
 * One end of a pair of connections, one each way, over the socket network or that of a plug-in, as a proxy's progress
 * thread uses them: isend, irecv, and test until it is done. One thread.
 */
final class NetEnd extends End implements Messages {
    static final int DEVICE = 0;
    private static final String NETWORK = "Socket";
    private static final int PAGE_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final NetPlugin plugin;
    private NetSendComm send;
    private NetRecvComm recv;
    private final MemorySegment sendBuffer;
    private final MemorySegment recvBuffer;
    private final NetMemory sendMemory;
    private final NetMemory[] recvMemory = new NetMemory[1];
    private final long[] offset = new long[1];
    private final long[] size = new long[1];
    private final int[] tag = new int[1];

    /** Connects both ways, with buffers for a window of the longest message. */
    NetEnd(int number, RigArguments arguments, Talk other, int window) {
        Pinning.pin(arguments, number);
        onClose(arena::close);
        try {
            plugin = network(RigArguments.config(arguments.options()).build(), number);
            onClose(plugin::close);
            try (NetListenComm listen = plugin.listen(DEVICE)) {
                other.tell(handle(listen));
                try (NetConnectComm connect = connect(plugin, other.line())) {
                    await(() -> {
                        send = send == null ? connect.connect() : send;
                        recv = recv == null ? listen.accept() : recv;
                        return send == null || recv == null ? null : recv;
                    });
                }
            }
            onClose(send::close);
            onClose(recv::close);
            sendBuffer = arena.allocate(window * arguments.mostBytes(), PAGE_BYTES).fill((byte) 1);
            recvBuffer = arena.allocate(window * arguments.mostBytes(), PAGE_BYTES).fill((byte) 1);
            sendMemory = send.regMr(sendBuffer);
            recvMemory[0] = recv.regMr(recvBuffer);
            onClose(sendMemory::close);
            onClose(recvMemory[0]::close);
        } catch (Throwable t) {
            close();
            throw t;
        }
    }

    private static NetPlugin network(ProxyConfig config, int number) {
        boolean isPlugIn = !config.get(CoreOptions.NET_PLUGIN).isEmpty();
        return NetProviders.of(config).stream().filter(provider -> isPlugIn || provider.name().equals(NETWORK))
                .findFirst().orElseThrow().create(config, number);
    }

    /** What the other end needs; one word. */
    static String handle(NetListenComm listen) {
        ByteBuffer handle = listen.handle();
        byte[] bytes = new byte[handle.remaining()];
        handle.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    static NetConnectComm connect(NetPlugin plugin, String handle) {
        return plugin.connect(DEVICE, ByteBuffer.wrap(HexFormat.of().parseHex(handle)));
    }

    @Override
    Messages messages() {
        return this;
    }

    @Override
    public void obey(String[] order, Talk rig) {
        switch (order[0]) {
            case "stream" -> rig.tell(NetStreamRig.stream(this, Long.parseLong(order[1]), Long.parseLong(order[2])));
            case "fan" -> NetPollRig.obey(this, order[1]);
            default -> super.obey(order, rig);
        }
    }

    NetPlugin plugin() {
        return plugin;
    }

    @Override
    public MemorySegment sendBuffer() {
        return sendBuffer;
    }

    @Override
    public MemorySegment recvBuffer() {
        return recvBuffer;
    }

    @Override
    public void send(long bytes) {
        long sent = isend(0, bytes);
        while (!isSent(sent)) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void receive(long bytes) {
        awaitReceived(irecv(0, bytes));
    }

    /** The receive is there before its message. */
    @Override
    public void exchange(long bytes) {
        long received = irecv(0, bytes);
        send(bytes);
        awaitReceived(received);
    }

    void awaitReceived(long request) {
        while (!isReceived(request)) {
            Thread.onSpinWait();
        }
    }

    /** Posts a message; the request. */
    long isend(long at, long bytes) {
        long request = send.isend(sendMemory, at, bytes, 0);
        while (request == 0) {
            request = send.isend(sendMemory, at, bytes, 0);
        }
        return checked(send, request);
    }

    /** Posts a receive; the request. */
    long irecv(long at, long bytes) {
        offset[0] = at;
        size[0] = bytes;
        long request = recv.irecv(1, recvMemory, offset, size, tag);
        while (request == 0) {
            request = recv.irecv(1, recvMemory, offset, size, tag);
        }
        return checked(recv, request);
    }

    boolean isSent(long request) {
        return checked(send, send.test(request, size)) > 0;
    }

    boolean isReceived(long request) {
        return checked(recv, recv.test(request, size)) > 0;
    }

    /** Asks until there is something. */
    static <T> T await(Supplier<T> question) {
        long deadline = System.nanoTime() + Rank.PATIENCE.toNanos();
        T answer = question.get();
        while (answer == null) {
            if (System.nanoTime() - deadline >= 0) {
                throw new IllegalStateException("no connection within " + Rank.PATIENCE);
            }
            answer = question.get();
        }
        return answer;
    }

    /** What a call returned, unless it failed. */
    static long checked(NetComm comm, long result) {
        if (result < 0) {
            throw new IllegalStateException(ProxyResult.of((int) -result) + ": " + comm.failure());
        }
        return result;
    }
}
