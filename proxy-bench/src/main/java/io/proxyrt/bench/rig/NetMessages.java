/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.lang.foreign.MemorySegment;

/** Messages over the socket network. */
record NetMessages(NetEnd end) implements Messages {
    @Override
    public MemorySegment sendBuffer() {
        return end.sendBuffer();
    }

    @Override
    public MemorySegment recvBuffer() {
        return end.recvBuffer();
    }

    @Override
    public void send(long bytes) {
        long sent = end.isend(0, bytes);
        while (!end.isSent(sent)) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void receive(long bytes) {
        await(end.irecv(0, bytes));
    }

    /** The receive is there before its message. */
    @Override
    public void exchange(long bytes) {
        long received = end.irecv(0, bytes);
        send(bytes);
        await(received);
    }

    private void await(long received) {
        while (!end.isReceived(received)) {
            Thread.onSpinWait();
        }
    }
}
