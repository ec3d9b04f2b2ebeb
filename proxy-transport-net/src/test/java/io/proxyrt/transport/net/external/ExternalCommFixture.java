/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;

/** Comms over a plug-in that a test tells what to do. */
abstract class ExternalCommFixture {
    static final int REFUSED = -ProxyResult.INVALID_ARGUMENT.code();

    final FakeNetLibrary library = new FakeNetLibrary();
    final Arena arena = Arena.ofShared();
    final MemorySegment buffer = arena.allocate(1000);
    final long[] sizes = new long[8];

    @AfterEach
    void free() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    final ExternalNet net() {
        return ExternalNet.open(library, CoreOptions.NET_PLUGIN);
    }

    final NetSendComm send() {
        return send(net());
    }

    static NetSendComm send(ExternalNet net) {
        return untilThere(net.connect(0, net.listen(0).handle())::connect);
    }

    final NetRecvComm recv() {
        return untilThere(net().listen(0)::accept);
    }

    /** Asks until the answer is not null: a busy machine may take its time. */
    static <T> T untilThere(Supplier<T> question) {
        T answer = question.get();
        while (answer == null) {
            Thread.yield();
            answer = question.get();
        }
        return answer;
    }

    final NetRecvComm recvOfGroups(int maxRecvs) {
        library.devices.set(0, FakeNetLibrary.device("fake0", "", maxRecvs, 1 << 20));
        return recv();
    }

    /** Of a device that reaches memory of GPUs, too. */
    final NetRecvComm recvOfGpu(int maxRecvs) {
        library.devices.set(0, new NetLibraryProperties("fake0", "", 1, 5, false, 1, 1, maxRecvs, 0, 0, 1 << 20, 0));
        return recv();
    }

    static long irecv(NetRecvComm recv, NetMemory memory, long offset, long bytes) {
        return recv.irecv(1, new NetMemory[] {memory}, new long[] {offset}, new long[] {bytes}, new int[1]);
    }

    static long irecv(NetRecvComm recv, NetMemory memory, int n) {
        NetMemory[] memories = new NetMemory[n];
        Arrays.fill(memories, memory);
        long[] bytes = new long[n];
        Arrays.fill(bytes, 100);
        return recv.irecv(n, memories, new long[n], bytes, new int[n]);
    }

    final void completes(int requests, Integer... reported) {
        library.ready = requests;
        library.sizes.clear();
        library.sizes.addAll(List.of(reported));
    }
}
