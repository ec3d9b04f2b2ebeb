/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.transport.net.spi.ForwardingNetPlugin;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * A network with faults, for trying how a program takes them: it stands before another network and refuses, delays and
 * fails as {@link Faults} says.
 */
final class FaultyNet extends ForwardingNetPlugin {
    private static final String INJECTED = "a fault was injected, see " + NetOptions.FAULTS;

    private final Faults faults;
    private int comms;

    FaultyNet(NetPlugin net, Faults faults) {
        super(net);
        this.faults = faults;
    }

    @Override
    public String describe() {
        return net.describe() + " (with " + faults + ")";
    }

    @Override
    public NetListenComm listen(int dev) {
        return new Listen(net.listen(dev));
    }

    @Override
    public NetConnectComm connect(int dev, ByteBuffer handle) {
        return new Connect(net.connect(dev, handle), faults.chances(comms++));
    }

    private final class Listen implements NetListenComm {
        private final NetListenComm listen;

        Listen(NetListenComm listen) {
            this.listen = listen;
        }

        @Override
        public ByteBuffer handle() {
            return listen.handle();
        }

        @Override
        public NetRecvComm accept() {
            NetRecvComm comm = listen.accept();
            return comm == null ? null : new Recv(comm, faults.chances(comms++));
        }

        @Override
        public void close() {
            listen.close();
        }
    }

    private final class Connect implements NetConnectComm {
        private final NetConnectComm attempt;
        private final SplittableRandom chances;

        Connect(NetConnectComm attempt, SplittableRandom chances) {
            this.attempt = attempt;
            this.chances = chances;
        }

        @Override
        public NetSendComm connect() {
            if (chances.nextDouble() < faults.connect()) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, "cannot connect: " + INJECTED);
            }
            NetSendComm comm = attempt.connect();
            return comm == null ? null : new Send(comm, faults.chances(comms++));
        }

        @Override
        public void close() {
            attempt.close();
        }
    }

    private abstract class Comm implements NetComm {
        private final NetComm comm;
        private final SplittableRandom chances;
        private boolean isFailed;

        Comm(NetComm comm, SplittableRandom chances) {
            this.comm = comm;
            this.chances = chances;
        }

        /** A negated error, or 0 for a request that is to be refused, or 1. */
        final int mayPost() {
            return isFailed ? -ProxyResult.REMOTE_ERROR.code() : chances.nextDouble() < faults.refuse() ? 0 : 1;
        }

        @Override
        public NetMemory regMr(MemorySegment buffer) {
            return comm.regMr(buffer);
        }

        @Override
        public NetMemory regMrDmaBuf(MemorySegment range, DmaBuf dmaBuf) {
            return comm.regMrDmaBuf(range, dmaBuf);
        }

        @Override
        public int test(long request, long[] sizes) {
            isFailed |= chances.nextDouble() < faults.test();
            if (isFailed) {
                return -ProxyResult.REMOTE_ERROR.code();
            }
            return chances.nextDouble() < faults.delay() ? 0 : comm.test(request, sizes);
        }

        @Override
        public String failure() {
            return isFailed ? INJECTED : comm.failure();
        }

        @Override
        public void close() {
            comm.close();
        }
    }

    private final class Send extends Comm implements NetSendComm {
        private final NetSendComm comm;

        Send(NetSendComm comm, SplittableRandom chances) {
            super(comm, chances);
            this.comm = comm;
        }

        @Override
        public long isend(NetMemory memory, long offset, long bytes, int tag) {
            return isend(memory, offset, bytes, tag, 0);
        }

        @Override
        public long isend(NetMemory memory, long offset, long bytes, int tag, int stamp) {
            int may = mayPost();
            return may > 0 ? comm.isend(memory, offset, bytes, tag, stamp) : may;
        }
    }

    private final class Recv extends Comm implements NetRecvComm {
        private final NetRecvComm comm;

        Recv(NetRecvComm comm, SplittableRandom chances) {
            super(comm, chances);
            this.comm = comm;
        }

        @Override
        public long irecv(int n, NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
            int may = mayPost();
            return may > 0 ? comm.irecv(n, memories, offsets, sizes, tags) : may;
        }

        @Override
        public long irecvUntracked(NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
            int may = mayPost();
            return may > 0 ? comm.irecvUntracked(memories, offsets, sizes, tags) : may;
        }

        @Override
        public long iflush(int n, NetMemory[] memories, long[] offsets, long[] sizes) {
            return comm.iflush(n, memories, offsets, sizes);
        }

        @Override
        public int stamp(long request, int index) {
            return comm.stamp(request, index);
        }
    }
}
