/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetProperties;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A network whose participants meet in this process. Its seed decides when it has no room for a call, when it carries
 * one out, and when it says so. It counts what is open, and can fail. One thread.
 */
final class SimulatedCollNet {
    /** Registrations, comms, attempts and listeners that are not closed. */
    int open;
    int devices = 1;
    long maxCollBytes = 1L << 29;
    /** How often connect says that not all are there yet, though they are. */
    int pendingConnects;
    /** How often connecting fails. */
    int failedConnects;
    boolean throwsOnConnect;
    boolean refusesMemory;
    /** Of a hundred questions, how many are answered with not yet. */
    int patience = 50;
    /** Calls that a comm has room for: 8 at least, 32 at most. */
    int room = 8;
    /** Whether data that were delivered to a device are wrong until they are flushed. */
    boolean needsFlush;
    /** Whether the network fails when it is asked to flush. */
    boolean failsInFlush;
    int calls;
    int flushes;
    int listens;
    int connects;
    long largestCall;
    /** Why nothing works any more. */
    String failure = "";

    private final SplittableRandom random;
    private final Map<List<ByteBuffer>, SimulatedCalls> groups = new HashMap<>();

    SimulatedCollNet(long seed) {
        random = new SplittableRandom(seed);
    }

    boolean isLate() {
        return patience > 0 && random.nextInt(100) < patience;
    }

    /** One runtime's. */
    CollNetPlugin plugin() {
        return new Plugin();
    }

    private final class Plugin implements CollNetPlugin {
        @Override
        public String name() {
            return "Simulated";
        }

        @Override
        public int devices() {
            return devices;
        }

        @Override
        public CollNetProperties properties(int dev) {
            if (dev < 0 || dev >= devices) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no device " + dev);
            }
            return new CollNetProperties("sim" + dev, "", dev, 1000, 8, maxCollBytes);
        }

        @Override
        public boolean reduceSupport(DataType type, RedOp op) {
            return SimulatedCalls.reduces(type, op);
        }

        @Override
        public String describe() {
            return "Simulated: " + devices + " devices";
        }

        @Override
        public CollNetListenComm listen(int dev) {
            open++;
            listens++;
            return new Listener(ByteBuffer.allocate(Long.BYTES).putLong(listens).flip());
        }

        @Override
        public CollNetConnectComm connect(int dev, List<ByteBuffer> handles, int rank, CollNetListenComm listen) {
            if (!handles.get(rank).equals(listen.handle())) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "not its own handle in its place");
            }
            open++;
            connects++;
            List<ByteBuffer> names = handles.stream()
                    .map(handle -> ByteBuffer.allocate(handle.remaining()).put(handle.duplicate()).flip()).toList();
            SimulatedCalls group = groups.computeIfAbsent(names,
                    any -> new SimulatedCalls(SimulatedCollNet.this, names.size()));
            group.arrive();
            return new Attempt(group, rank);
        }

        @Override
        public void close() {
            // It has nothing of its own.
        }
    }

    private final class Listener implements CollNetListenComm {
        private final ByteBuffer handle;
        private boolean isClosed;

        Listener(ByteBuffer handle) {
            this.handle = handle;
        }

        @Override
        public ByteBuffer handle() {
            return handle.asReadOnlyBuffer();
        }

        @Override
        public void close() {
            open -= isClosed ? 0 : 1;
            isClosed = true;
        }
    }

    private final class Attempt implements CollNetConnectComm {
        private final SimulatedCalls group;
        private final int rank;
        private boolean isClosed;

        Attempt(SimulatedCalls group, int rank) {
            this.group = group;
            this.rank = rank;
        }

        @Override
        public CollNetComm connect() {
            if (throwsOnConnect) {
                throw new IllegalStateException("a bug of the network");
            }
            if (failedConnects > 0) {
                failedConnects--;
                throw new ProxyException(ProxyResult.REMOTE_ERROR, "the network is not there");
            }
            if (!group.isComplete()) {
                return null;
            }
            if (pendingConnects > 0) {
                pendingConnects--;
                return null;
            }
            open++;
            return new Comm(group, rank);
        }

        @Override
        public void close() {
            open -= isClosed ? 0 : 1;
            isClosed = true;
        }
    }

    /** Memory that is registered; of a device, if it came by a dma-buf. */
    private final class Memory implements CollNetMemory {
        private final MemorySegment segment;
        private final boolean isOfDevice;
        private boolean isClosed;

        Memory(MemorySegment segment, boolean isOfDevice) {
            this.segment = segment;
            this.isOfDevice = isOfDevice;
            open++;
        }

        @Override
        public MemorySegment segment() {
            if (isClosed) {
                throw new AssertionError("memory is used that is not registered any more");
            }
            return segment;
        }

        @Override
        public void close() {
            open -= isClosed ? 0 : 1;
            isClosed = true;
        }
    }

    private final class Comm implements CollNetComm {
        private static final long FLUSH = 1L << 40;

        private final SimulatedCalls group;
        private final int rank;
        private final List<Runnable> underFlush = new ArrayList<>();
        private boolean isClosed;

        Comm(SimulatedCalls group, int rank) {
            this.group = group;
            this.rank = rank;
        }

        @Override
        public CollNetMemory regMr(MemorySegment buffer) {
            if (refusesMemory) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no room for registrations");
            }
            return new Memory(buffer, false);
        }

        @Override
        public CollNetMemory regMrDmaBuf(MemorySegment range, DmaBuf dmaBuf) {
            return new Memory(range, true);
        }

        @Override
        public long iallreduce(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset, long count,
                DataType type, RedOp op) {
            long bytes = count * type.sizeBytes();
            return post(CollFunction.ALL_REDUCE, 0, 0, bytes, type, op) ? place(send, sendOffset, recv, recvOffset)
                    : refused();
        }

        @Override
        public long iallgather(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset,
                CollNetWindow window) {
            return post(CollFunction.ALL_GATHER, window.bytesPerRank(), window.offset(), window.bytes(), DataType.INT8,
                    RedOp.SUM) ? place(send, sendOffset, recv, recvOffset) : refused();
        }

        @Override
        public long ireducescatter(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset,
                CollNetWindow window, DataType type, RedOp op) {
            return post(CollFunction.REDUCE_SCATTER, window.bytesPerRank(), window.offset(), window.bytes(), type, op)
                    ? place(send, sendOffset, recv, recvOffset) : refused();
        }

        private long place(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset) {
            return group.place(rank, send.segment(), sendOffset, recv.segment(), recvOffset,
                    needsFlush && ((Memory) recv).isOfDevice);
        }

        private boolean post(CollFunction function, long part, long offset, long bytes, DataType type, RedOp op) {
            if (isClosed || bytes <= 0 || bytes > maxCollBytes) {
                throw new AssertionError(function + " of " + bytes + " bytes, closed " + isClosed);
            }
            if (isBroken() || isLate()) {
                return false;
            }
            largestCall = Math.max(largestCall, bytes);
            return group.post(rank, function, part, offset, bytes, type, op);
        }

        private boolean isBroken() {
            return !failure.isEmpty() || !group.failure.isEmpty();
        }

        private long refused() {
            return isBroken() ? -(failure.isEmpty() ? ProxyResult.INVALID_USAGE : ProxyResult.REMOTE_ERROR).code() : 0;
        }

        @Override
        public long iflush(CollNetMemory recv, long offset, long bytes) {
            flushes++;
            failure = failsInFlush ? "the cable was cut" : failure;
            if (isBroken()) {
                return refused();
            }
            if (!needsFlush) {
                return 0;
            }
            underFlush.add(() -> SimulatedCalls.invert(recv.segment(), offset, bytes));
            return FLUSH + underFlush.size();
        }

        @Override
        public int test(long request) {
            if (isClosed) {
                throw new AssertionError("a comm is asked that is closed");
            }
            if (isBroken()) {
                return (int) refused();
            }
            group.advance();
            if (isLate()) {
                return 0;
            }
            if (request > FLUSH) {
                underFlush.get((int) (request - FLUSH) - 1).run();
                return 1;
            }
            return group.test(rank, request) ? 1 : 0;
        }

        @Override
        public String network() {
            return "switch Simulated";
        }

        @Override
        public String failure() {
            return failure.isEmpty() ? group.failure : "switch Simulated: " + failure;
        }

        @Override
        public void close() {
            open -= isClosed ? 0 : 1;
            isClosed = true;
        }
    }
}
