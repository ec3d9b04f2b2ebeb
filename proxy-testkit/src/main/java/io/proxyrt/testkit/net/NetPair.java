/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Both ends of a connection, with memory registered at each. One thread plays them. */
final class NetPair implements AutoCloseable {
    static final int TAG = 7;

    final NetSendComm send;
    final NetRecvComm recv;
    final MemorySegment source;
    final MemorySegment target;
    /** What the last receive got, as {@code test} said. */
    final long[] actual;
    private final NetMemory sendMemory;
    private final NetMemory[] targets;
    private final long[] offsets;
    private final long[] sizes;
    private final int[] tags;
    private final long[] sent;

    private NetPair(NetSendComm send, NetRecvComm recv, int maxRecvs, MemorySegment source, MemorySegment target) {
        this.send = send;
        this.recv = recv;
        this.source = source;
        this.target = target;
        this.sendMemory = send.regMr(source);
        this.targets = new NetMemory[maxRecvs];
        Arrays.fill(targets, recv.regMr(target));
        this.offsets = new long[maxRecvs];
        this.sizes = new long[maxRecvs];
        this.tags = new int[maxRecvs];
        this.actual = new long[maxRecvs];
        this.sent = new long[1];
    }

    static NetPair connect(NetPlugin sender, NetPlugin receiver, MemorySegment source, MemorySegment target) {
        return connect(0, sender, receiver, source, target);
    }

    /** By a device of that number at each end. */
    static NetPair connect(int dev, NetPlugin sender, NetPlugin receiver, MemorySegment source, MemorySegment target) {
        try (NetListenComm listen = receiver.listen(dev);
                NetConnectComm connect = sender.connect(dev, listen.handle())) {
            return meet(connect, listen, receiver.properties(dev).maxRecvs(), source, target);
        }
    }

    /** Over what is being connected. */
    static NetPair meet(NetConnectComm connect, NetListenComm listen, int maxRecvs, MemorySegment source,
            MemorySegment target) {
        NetSendComm send = null;
        NetRecvComm recv = null;
        try {
            while (send == null || recv == null) {
                send = send == null ? connect.connect() : send;
                recv = recv == null ? listen.accept() : recv;
                turn();
            }
            return new NetPair(send, recv, maxRecvs, source, target);
        } catch (Throwable t) {
            close(send);
            close(recv);
            throw t;
        }
    }

    static void close(NetComm comm) {
        if (comm != null) {
            comm.close();
        }
    }

    /** Once. */
    long tryIsend(long offset, long bytes) {
        return send.isend(sendMemory, offset, bytes, TAG);
    }

    long isend(long offset, long bytes) {
        return isend(offset, bytes, TAG);
    }

    long isend(long offset, long bytes, int tag) {
        return isend(sendMemory, offset, bytes, tag);
    }

    /** Again until the network takes it or fails. It may want to hear first that the peer waits for such a message. */
    long isend(NetMemory memory, long offset, long bytes, int tag) {
        long request = send.isend(memory, offset, bytes, tag);
        while (request == 0) {
            turn();
            request = send.isend(memory, offset, bytes, tag);
        }
        return request;
    }

    long irecv(long offset, long bytes) {
        group(0, offset, bytes, TAG);
        return irecv(1);
    }

    long irecvUntracked(long offset, long bytes) {
        group(0, offset, bytes, TAG);
        return recv.irecvUntracked(targets, offsets, sizes, tags);
    }

    /** Describes a member of the group that {@link #irecv(int)} posts. */
    void group(int index, long offset, long bytes, int tag) {
        offsets[index] = offset;
        sizes[index] = bytes;
        tags[index] = tag;
    }

    long irecv(int n) {
        return recv.irecv(n, targets, offsets, sizes, tags);
    }

    /** One more, or one less, than the arrays of a group are long. */
    long irecvOfMany(int n) {
        return recv.irecv(n, Arrays.copyOf(targets, Math.max(1, n)), new long[Math.max(1, n)],
                new long[Math.max(1, n)], new int[Math.max(1, n)]);
    }

    long iflush(int n) {
        return recv.iflush(n, targets, offsets, actual);
    }

    /** Drives both ends until both requests are done. */
    void finish(long sending, long receiving) {
        checked(send, sending);
        checked(recv, receiving);
        boolean isSent = false;
        boolean isReceived = false;
        while (!isSent || !isReceived) {
            isSent = isSent || isSent(sending);
            isReceived = isReceived || isReceived(receiving);
            turn();
        }
    }

    /** A message from one place to the other, both driven until it is there. */
    void exchange(long from, long to, long bytes) {
        long receiving = irecv(to, bytes);
        finish(isend(from, bytes), receiving);
    }

    boolean isSent(long request) {
        return checked(send, send.test(request, sent)) == 1;
    }

    boolean isReceived(long request) {
        return checked(recv, recv.test(request, actual)) == 1;
    }

    /** Asks until the request is done or has failed. */
    int await(NetComm comm, long request) {
        int result = 0;
        while (result == 0) {
            result = comm.test(request, actual);
            turn();
        }
        return result;
    }

    /** Asks until a receive is done or has failed, and drives what is being sent meanwhile. */
    int awaitReceive(long receiving, long... sending) {
        int result = 0;
        boolean[] isSent = new boolean[sending.length];
        while (result == 0) {
            for (int i = 0; i < sending.length; i++) {
                isSent[i] = isSent[i] || send.test(sending[i], sent) != 0;
            }
            result = recv.test(receiving, actual);
            turn();
        }
        return result;
    }

    void assertSame(long from, long to, long bytes) {
        assertEquals(-1, source.asSlice(from, bytes).mismatch(target.asSlice(to, bytes)),
                bytes + " bytes from " + from + " to " + to + " differ");
    }

    @Override
    public void close() {
        sendMemory.close();
        targets[0].close();
        send.close();
        recv.close();
    }

    static long checked(NetComm comm, long result) {
        if (result < 0) {
            throw new AssertionError(ProxyResult.of((int) -result) + ": " + comm.failure());
        }
        return result;
    }

    static void assertRefused(NetComm comm, long result) {
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), result,
                () -> "the call has to return -INVALID_ARGUMENT for what is not outstanding, or outside the memory; the"
                        + " failure was: " + comm.failure());
        assertFalse(comm.failure().isEmpty(), "a call was refused, so failure() has to say why");
    }

    /** Between two looks: lets the network's own threads have the core, and ends when the test's time is up. */
    static void turn() {
        if (Thread.interrupted()) {
            throw new AssertionError("the test's time is up");
        }
        Thread.yield();
    }
}
