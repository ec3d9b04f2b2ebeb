/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.PeerMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Both ends of a direct connection, over memory of this process. */
final class DirectPair {
    static final long LL_BYTES = 8 << 10;
    static final long LL128_BYTES = 8 << 10;
    static final long SIMPLE_BYTES = 32 << 10;
    /** connFifo in its page. */
    private static final long FIFO = 64;
    private static final byte UNTOUCHED = 0x5a;

    final DeviceConnection send;
    final DeviceConnection recv;
    /** What the sender registered. */
    final PeerMemory senders = new PeerMemory();
    /** What the receiver registered. */
    final PeerMemory receivers = new PeerMemory();
    private long handles;
    final MemorySegment recvPage;
    final MemorySegment sendPage;

    DirectPair(Arena arena) {
        sendPage = arena.allocate(SendMem.BYTES, 64);
        recvPage = arena.allocate(RecvMem.BYTES, 64);
        recvPage.asSlice(FIFO).fill(UNTOUCHED);
        MemorySegment ll = arena.allocate(LL_BYTES, 64);
        MemorySegment ll128 = arena.allocate(LL128_BYTES, 64);
        MemorySegment simple = arena.allocate(SIMPLE_BYTES, 64);
        send = DeviceConnection.direct(new SendMem(sendPage), new RecvMem(recvPage), ll, ll128, simple)
                .with(receivers);
        recv = DeviceConnection.direct(new SendMem(sendPage), new RecvMem(recvPage), ll, ll128, simple).with(senders);
    }

    /** Memory of the sender, between others'; data begin behind a margin. */
    long register(MemorySegment memory) {
        senders.add(++handles, memory);
        return handles;
    }

    /** Memory of the receiver. */
    long offer(MemorySegment memory) {
        receivers.add(++handles, memory);
        return handles;
    }

    /** As if a number of steps had been carried. */
    DirectPair at(long step) {
        send.step(step);
        recv.step(step);
        new SendMem(sendPage).head(step);
        new RecvMem(recvPage).tail(step);
        return this;
    }

    boolean isFifoUntouched() {
        MemorySegment fifo = recvPage.asSlice(FIFO);
        return fifo.mismatch(MemorySegment.ofArray(filled((int) fifo.byteSize()))) < 0;
    }

    private static byte[] filled(int bytes) {
        byte[] filled = new byte[bytes];
        java.util.Arrays.fill(filled, UNTOUCHED);
        return filled;
    }
}
