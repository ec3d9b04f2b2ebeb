/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetProperties;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A network that does what the test tells it, and nothing else. It knows one connection, in order. A message stays in
 * the sender's memory until it is delivered, so a slot that is reused too early shows up as wrong data.
 */
final class ManualNet implements NetPlugin {
    private static final int RING = 64;

    /** How often accept, connect, isend and irecv still say no for now. */
    int pendingAccepts;
    int pendingConnects;
    int refusedSends;
    int refusedRecvs;
    /** What fails from now on, if not empty. */
    String failure = "";
    /** Things handed out and not closed. */
    int open;
    int sent;
    int posted;
    int delivered;
    int completed;

    private final MemorySegment[] sources = new MemorySegment[RING];
    private final long[] sourceOffsets = new long[RING];
    private final long[] sourceSizes = new long[RING];
    private final MemorySegment[] targets = new MemorySegment[RING];
    private final long[] targetOffsets = new long[RING];
    private final long[] targetSizes = new long[RING];

    /** Moves the oldest message under way to the oldest receive without one; returns whether there were both. */
    boolean deliver() {
        if (delivered == sent || delivered == posted) {
            return false;
        }
        int place = delivered % RING;
        if (sourceSizes[place] > targetSizes[place]) {
            throw new AssertionError(sourceSizes[place] + " bytes do not fit into " + targetSizes[place]);
        }
        MemorySegment.copy(sources[place], sourceOffsets[place], targets[place], targetOffsets[place],
                sourceSizes[place]);
        delivered++;
        return true;
    }

    /** Lets the oldest delivered message's send complete; returns whether there was one. */
    boolean complete() {
        if (completed == delivered) {
            return false;
        }
        completed++;
        return true;
    }

    @Override
    public String name() {
        return "Manual";
    }

    @Override
    public int devices() {
        return 1;
    }

    @Override
    public NetProperties properties(int dev) {
        return new NetProperties("manual", "", 0, 1, 1, 1, Long.MAX_VALUE);
    }

    @Override
    public String describe() {
        return "Manual: moves when told";
    }

    @Override
    public NetListenComm listen(int dev) {
        open++;
        return new Listen();
    }

    @Override
    public NetConnectComm connect(int dev, ByteBuffer handle) {
        open++;
        return new Connect();
    }

    @Override
    public void close() {
        // Everything is counted in open.
    }

    private class Closeable implements AutoCloseable {
        private boolean isClosed;

        @Override
        public void close() {
            open -= isClosed ? 0 : 1;
            isClosed = true;
        }
    }

    private final class Listen extends Closeable implements NetListenComm {
        @Override
        public ByteBuffer handle() {
            return ByteBuffer.allocate(5).asReadOnlyBuffer();
        }

        @Override
        public NetRecvComm accept() {
            if (pendingAccepts-- > 0) {
                return null;
            }
            open++;
            return new Recv();
        }
    }

    private final class Connect extends Closeable implements NetConnectComm {
        @Override
        public NetSendComm connect() {
            if (!failure.isEmpty()) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, failure);
            }
            if (pendingConnects-- > 0) {
                return null;
            }
            open++;
            return new Send();
        }
    }

    private final class Memory extends Closeable implements NetMemory {
        private final MemorySegment segment;

        Memory(MemorySegment segment) {
            this.segment = segment;
            open++;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }
    }

    private abstract class Comm extends Closeable implements NetComm {
        @Override
        public NetMemory regMr(MemorySegment buffer) {
            return new Memory(buffer);
        }

        @Override
        public String failure() {
            return failure;
        }

        int failed() {
            return failure.isEmpty() ? 0 : -ProxyResult.REMOTE_ERROR.code();
        }
    }

    private final class Send extends Comm implements NetSendComm {
        @Override
        public long isend(NetMemory memory, long offset, long bytes, int tag) {
            if (failed() < 0 || refusedSends-- > 0) {
                return failed();
            }
            int place = sent % RING;
            sources[place] = memory.segment();
            sourceOffsets[place] = offset;
            sourceSizes[place] = bytes;
            return ++sent;
        }

        @Override
        public int test(long request, long[] sizes) {
            return failed() < 0 ? failed() : request <= completed ? 1 : 0;
        }
    }

    private final class Recv extends Comm implements NetRecvComm {
        @Override
        public long irecv(int n, NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
            if (failed() < 0 || refusedRecvs-- > 0) {
                return failed();
            }
            int place = posted % RING;
            targets[place] = memories[0].segment();
            targetOffsets[place] = offsets[0];
            targetSizes[place] = sizes[0];
            return ++posted;
        }

        @Override
        public long iflush(int n, NetMemory[] memories, long[] offsets, long[] sizes) {
            return 0;
        }

        @Override
        public int test(long request, long[] sizes) {
            if (failed() < 0 || request > delivered) {
                return failed();
            }
            sizes[0] = sourceSizes[(int) (request - 1) % RING];
            return 1;
        }
    }
}
