/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.KernelAddresses;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** What one end of a connection allocates. The ends of a process find each other by number: no address travels. */
final class HandoverEnd implements AutoCloseable {
    private static final Map<Long, HandoverEnd> ENDS = new ConcurrentHashMap<>();
    private static final int ALIGNMENT = 4096;

    final Direction direction;
    final SendMem sendMem;
    final RecvMem recvMem;
    final MemorySegment[] buffers = new MemorySegment[Protocol.values().length];
    private final long id;
    private final MemorySegment words;
    /** Of the progress thread: the step at which the next op starts. */
    long step;
    /** Of a sender, once it is connected. */
    private HandoverEnd receiver;
    private boolean isTaken;

    HandoverEnd(Direction direction, ProxyConfig config) {
        Arena arena = Arena.ofAuto();
        this.direction = direction;
        this.words = arena.allocate(SendMem.WORDS_BYTES + RecvMem.WORDS_BYTES, ALIGNMENT);
        this.sendMem = new SendMem(words);
        this.recvMem = new RecvMem(words, SendMem.WORDS_BYTES);
        recvMem.reset(RecvMem.MODE_NORMAL);
        buffers[Protocol.SIMPLE.ordinal()] = arena.allocate(config.get(CoreOptions.BUFFER_BYTES), ALIGNMENT);
        if (direction == Direction.RECV) {
            buffers[Protocol.LL.ordinal()] = arena.allocate(config.get(CoreOptions.LL_BUFFER_BYTES), ALIGNMENT);
            buffers[Protocol.LL128.ordinal()] = arena.allocate(config.get(CoreOptions.LL128_BUFFER_BYTES), ALIGNMENT);
        }
        this.id = put(this);
    }

    private static long put(HandoverEnd end) {
        long id = ThreadLocalRandom.current().nextLong();
        return ENDS.putIfAbsent(id, end) == null ? id : put(end);
    }

    /** Null if it is gone, or never was. */
    static HandoverEnd find(long id) {
        return ENDS.get(id);
    }

    long id() {
        return id;
    }

    HandoverEnd receiver() {
        return receiver;
    }

    /** The sender has found its receiver; the service threads of two runtimes meet here. */
    void take(HandoverEnd other) {
        receiver = other;
        synchronized (other) {
            other.isTaken = true;
        }
    }

    synchronized boolean isTaken() {
        return isTaken;
    }

    MemorySegment simple() {
        return buffers[Protocol.SIMPLE.ordinal()];
    }

    /** Kernels move lines of LL and LL128 themselves; with Simple a proxy copies from the sender to the receiver. */
    DeviceConnection deviceConnection() {
        HandoverEnd in = direction == Direction.RECV ? this : receiver;
        MemorySegment ll = in.buffers[Protocol.LL.ordinal()];
        MemorySegment ll128 = in.buffers[Protocol.LL128.ordinal()];
        return DeviceConnection.copyEngine(in.sendMem, recvMem, ll, ll128, simple())
                .with(new KernelAddresses(in.words.address(), words.address() + SendMem.WORDS_BYTES, ll.address(),
                        ll128.address(), simple().address()));
    }

    /** The memory goes when neither end refers to it any more. */
    @Override
    public void close() {
        ENDS.remove(id);
    }
}
