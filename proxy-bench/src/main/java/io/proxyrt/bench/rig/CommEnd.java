/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/** One of two ranks in processes of their own, which send each other messages as applications do. One thread. */
final class CommEnd implements Messages, AutoCloseable {
    static final int RANKS = 2;
    private static final long PAGE_BYTES = 4096;

    private final Communicator communicator;
    private final int peer;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment sendBuffer;
    private final MemorySegment recvBuffer;

    /** With buffers of so many bytes each, which the communicator allocates or, if they are foreign, does not know. */
    CommEnd(UniqueId id, int number, RigArguments arguments, long bytes) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of());
        arguments.options().forEach(config::set);
        communicator = Communicator.init(id, number, RANKS, config.build());
        peer = RANKS - 1 - number;
        sendBuffer = allocate(arguments.isTrue("registered"), bytes);
        recvBuffer = allocate(arguments.isTrue("registered"), bytes);
    }

    private MemorySegment allocate(boolean isRegistered, long bytes) {
        MemorySegment memory = isRegistered ? communicator.allocate(bytes).segment()
                : arena.allocate(bytes, PAGE_BYTES);
        return memory.fill((byte) 1);
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
        launchSend(sendBuffer.asSlice(0, bytes));
        synchronize();
    }

    @Override
    public void receive(long bytes) {
        launchReceive(recvBuffer.asSlice(0, bytes));
        synchronize();
    }

    void launchSend(MemorySegment message) {
        communicator.send(message, peer);
    }

    void launchReceive(MemorySegment message) {
        communicator.recv(message, peer);
    }

    void synchronize() {
        communicator.synchronize();
    }

    @Override
    public void close() {
        communicator.close();
        arena.close();
    }
}
