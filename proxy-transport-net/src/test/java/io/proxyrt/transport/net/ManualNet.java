/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DmaBuf;
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
import java.util.ArrayList;
import java.util.List;

/** A network that does what the test tells it, and nothing else. Its connections are {@link ManualWire wires}. */
final class ManualNet implements NetPlugin {
    /** How often accept, connect, isend and irecv still say no for now. */
    int pendingAccepts;
    int pendingConnects;
    int refusedSends;
    int refusedRecvs;
    /** How often connect still fails, of those that would get through. */
    int failedConnects;
    /** What fails from now on, if not empty. */
    String failure = "";
    /** Whether received data are there only when they are flushed. */
    boolean isFlushing;
    boolean isRegistrationGlobal;
    /** GPUs whose own memory it gets to know by dma-bufs. */
    final List<GdrDevice> devices = new ArrayList<>();
    /** Memory of GPUs that was registered so far. */
    int dmaBufs;
    /** Things handed out and not closed. */
    int open;
    /** Memory that was registered so far. */
    int registered;
    final List<ManualWire> wires = new ArrayList<>();

    private final int maxRecvs;
    private final List<Listen> listeners = new ArrayList<>();

    ManualNet() {
        this(1);
    }

    /** With receives in groups of limited size. */
    ManualNet(int maxRecvs) {
        this.maxRecvs = maxRecvs;
    }

    /** The first. */
    ManualWire wire() {
        return wires.getFirst();
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
        if (dev != 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "there is no device " + dev);
        }
        return new NetProperties("manual", "", 0, 1, 1, maxRecvs, Long.MAX_VALUE, !devices.isEmpty());
    }

    @Override
    public boolean isRegistrationGlobal(int dev) {
        return isRegistrationGlobal;
    }

    @Override
    public String describe() {
        return "Manual: moves when told";
    }

    @Override
    public NetListenComm listen(int dev) {
        Listen listen = new Listen(listeners.size());
        listeners.add(listen);
        return listen;
    }

    @Override
    public NetConnectComm connect(int dev, ByteBuffer handle) {
        return new Connect(listeners.get(handle.slice().getInt()));
    }

    @Override
    public void close() {
        // Everything is counted in open.
    }

    private class Closeable implements AutoCloseable {
        private boolean isClosed;

        Closeable() {
            open++;
        }

        @Override
        public void close() {
            open -= isClosed ? 0 : 1;
            isClosed = true;
        }
    }

    private final class Listen extends Closeable implements NetListenComm {
        private final int number;
        private ManualWire dialed;

        Listen(int number) {
            this.number = number;
        }

        @Override
        public ByteBuffer handle() {
            return ByteBuffer.allocate(4).putInt(number).flip().asReadOnlyBuffer();
        }

        @Override
        public NetRecvComm accept() {
            if (dialed == null || pendingAccepts-- > 0) {
                return null;
            }
            return new Recv(dialed);
        }
    }

    private final class Connect extends Closeable implements NetConnectComm {
        private final Listen listen;

        Connect(Listen listen) {
            this.listen = listen;
        }

        @Override
        public NetSendComm connect() {
            if (!failure.isEmpty() || failedConnects > 0 && pendingConnects == 0 && failedConnects-- > 0) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, failure);
            }
            if (pendingConnects > 0) {
                pendingConnects--;
                return null;
            }
            listen.dialed = new ManualWire(maxRecvs);
            wires.add(listen.dialed);
            return new Send(listen.dialed);
        }
    }

    private final class Memory extends Closeable implements NetMemory {
        private final MemorySegment segment;

        Memory(MemorySegment segment) {
            this.segment = segment;
            registered++;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }
    }

    private abstract class Comm extends Closeable implements NetComm {
        final ManualWire wire;

        Comm(ManualWire wire) {
            this.wire = wire;
        }

        @Override
        public NetMemory regMr(MemorySegment buffer) {
            if (!failure.isEmpty()) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, failure);
            }
            if (devices.stream().anyMatch(device -> device.isFar(buffer))) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory of a device without a dma-buf");
            }
            return new Memory(buffer);
        }

        /** The descriptor has to be of the device that has the range, and open. */
        @Override
        public NetMemory regMrDmaBuf(MemorySegment range, DmaBuf dmaBuf) {
            dmaBuf.fd().use(number -> {
                if (devices.stream().noneMatch(device -> device.isExported(number, dmaBuf.offset(), range))) {
                    throw new AssertionError("a dma-buf of other memory");
                }
                return number;
            });
            dmaBufs++;
            return new Memory(range);
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
        Send(ManualWire wire) {
            super(wire);
        }

        @Override
        public long isend(NetMemory memory, long offset, long bytes, int tag) {
            if (failed() < 0 || refusedSends > 0 && refusedSends-- > 0) {
                return failed();
            }
            return wire.send(memory.segment(), offset, bytes, tag);
        }

        @Override
        public int test(long request, long[] sizes) {
            return failed() < 0 ? failed() : wire.isSent(request) ? 1 : 0;
        }
    }

    private final class Recv extends Comm implements NetRecvComm {
        Recv(ManualWire wire) {
            super(wire);
        }

        @Override
        public long irecv(int n, NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
            if (failed() < 0 || refusedRecvs > 0 && refusedRecvs-- > 0) {
                return failed();
            }
            return wire.post(n, memories, offsets, sizes, tags);
        }

        /** Says at once that it is complete. */
        @Override
        public long irecvUntracked(NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
            long request = irecv(1, memories, offsets, sizes, tags);
            return request > 0 ? request | ManualWire.UNTRACKED : request;
        }

        @Override
        public long iflush(int n, NetMemory[] memories, long[] offsets, long[] sizes) {
            return failed() < 0 ? failed() : isFlushing ? wire.flush(n, memories, offsets, sizes) : 0;
        }

        @Override
        public int test(long request, long[] sizes) {
            return failed() < 0 ? failed() : wire.isReceived(request, sizes, isFlushing) ? 1 : 0;
        }
    }
}
