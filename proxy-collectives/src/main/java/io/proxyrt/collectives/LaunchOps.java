/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollNetGeometry;
import io.proxyrt.collectives.kernel.CollNetShape;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.MessagePart;
import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.collectives.kernel.TreeGeometry;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Pattern;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.op.ProxyOpEncoder;
import io.proxyrt.core.runtime.ConnectionEnd;

/** What the proxy is told of a launch: {@code ncclProxySaveOp}. Appends to the poster; posting is the caller's. */
final class LaunchOps {
    private final int rank;
    private OpSink sink;
    private final LaunchPlanner planner;
    private long collectives;
    private long messages;

    LaunchOps(int rank, OpSink sink, LaunchPlanner planner) {
        this.rank = rank;
        this.sink = sink;
        this.planner = planner;
    }

    /** Where ops go from here on. */
    void sink(OpSink other) {
        sink = other;
    }

    /** All of a launch are appended. */
    void post() {
        sink.post();
    }

    /** How many more fit. */
    int room() {
        return sink.room();
    }

    /** The opCount of the next collective, which all ranks count alike. */
    long nextCollective() {
        return collectives++ << 1;
    }

    /** The opCount of the next message or pair of messages. */
    long nextMessage() {
        return ++messages << 1 | 1;
    }

    /** One channel's part of the work that was just planned. */
    void ring(Ring ring, RingGeometry geometry, CollectiveWork work) {
        Pattern pattern = pattern(work.function());
        boolean isReceiving = pattern == Pattern.PIPELINE_FROM ? rank != work.root()
                : pattern != Pattern.PIPELINE_TO || ring.prev() != work.root();
        boolean isSending = pattern == Pattern.PIPELINE_FROM ? ring.next() != work.root()
                : pattern != Pattern.PIPELINE_TO || rank != work.root();
        if (ring.recv().needsProxy() && isReceiving) {
            ProxyOpEncoder op = append(work.opCount(), ring.recv());
            fillRing(op, ring, geometry, pattern, work);
            planner.registerRecv(ring.channel(), op, work);
        }
        if (ring.send().needsProxy() && isSending) {
            ProxyOpEncoder op = append(work.opCount(), ring.send());
            fillRing(op, ring, geometry, pattern, work);
            planner.registerSend(ring.channel(), op, work);
        }
    }

    private static Pattern pattern(CollFunction function) {
        return switch (function) {
            case ALL_REDUCE -> Pattern.RING_TWICE;
            case BROADCAST -> Pattern.PIPELINE_FROM;
            case REDUCE -> Pattern.PIPELINE_TO;
            default -> Pattern.RING;
        };
    }

    /** One lane of a collective that the network carries out. */
    void collNet(long opCount, CollNet collNet, CollNet.Lane lane, CollNetGeometry geometry, CollectiveWork work) {
        CollNetShape shape = collNet.shape();
        CollFunction function = work.function();
        if (lane.toNet() == null) {
            appendLane(shape.goesUp(function, lane.head(), shape.local()), lane.parent().send(), opCount, collNet, lane,
                    geometry, work);
            appendLane(shape.goesDown(function, lane.head(), shape.local()), lane.parent().recv(), opCount, collNet,
                    lane, geometry, work);
        } else {
            appendNetwork(lane.toNet(), opCount, collNet, lane, geometry, work);
            appendNetwork(lane.fromNet(), opCount, collNet, lane, geometry, work);
        }
        for (CollNet.Child child : lane.children()) {
            appendLane(shape.goesUp(function, lane.head(), child.local()), child.pair().recv(), opCount, collNet, lane,
                    geometry, work);
            appendLane(shape.goesDown(function, lane.head(), child.local()), child.pair().send(), opCount, collNet,
                    lane, geometry, work);
        }
    }

    /** The same, of a node's only rank, whose memory the network takes as it is, in the calls that slots would make. */
    void collNet(long opCount, CollNet collNet, CollNetGeometry geometry, CollectiveWork work, RegisteredMemory send,
            RegisteredMemory recv) {
        CollNet.Lane lane = collNet.lanes().getFirst();
        long callBytes = geometry.chunkBytes() * collNet.shape().channels();
        fillLane(append(opCount, lane.toNet()), collNet, lane, geometry, work).nsteps(1).chunkSize(callBytes)
                .nbytes(work.bytes()).reg(1).sendMhandle(send.collNet).sendbuff(send.offset(work.sendBuffer()))
                .recvMhandle(recv.collNet).recvbuff(recv.offset(work.recvBuffer()));
        fillLane(append(opCount, lane.fromNet()), collNet, lane, geometry, work).nsteps(1).chunkSize(callBytes)
                .nbytes(work.bytes()).reg(1);
    }

    /** Within the node, if anything goes there. */
    private void appendLane(boolean isUsed, ConnectionEnd end, long opCount, CollNet collNet, CollNet.Lane lane,
            CollNetGeometry geometry, CollectiveWork work) {
        if (isUsed && end.needsProxy()) {
            fillLane(append(opCount, end), collNet, lane, geometry, work).nbytes(end.device()
                    .stepBytes(Protocol.SIMPLE));
        }
    }

    private void appendNetwork(ConnectionEnd end, long opCount, CollNet collNet, CollNet.Lane lane,
            CollNetGeometry geometry, CollectiveWork work) {
        fillLane(append(opCount, end), collNet, lane, geometry, work).chunkSize(geometry.chunkBytes())
                .nbytes(geometry.railBytes(lane.head())).loopSize(geometry.partBytes(lane.head()));
    }

    private ProxyOpEncoder fillLane(ProxyOpEncoder op, CollNet collNet, CollNet.Lane lane, CollNetGeometry geometry,
            CollectiveWork work) {
        return fill(op, work.function(), collNet.shape().isChain() ? Pattern.COLLNET_CHAIN : Pattern.COLLNET_DIRECT,
                Protocol.SIMPLE).channelId(lane.channel()).nsteps(geometry.nsteps(lane.head())).sliceSteps(1)
                .chunkSteps(1).dtype(work.type().ordinal())
                .redOp(work.op() == null ? 0 : CollNet.network(work.op()).ordinal());
    }

    /** One round of an all-reduce by doubling, both ways. */
    void doubling(PeerPorts.Pair pair, CollectiveWork work) {
        steps(pair.recv(), Pattern.TREE_UP_DOWN, pair.recvPort().protocol(work.bytes()), 1, work);
        steps(pair.send(), Pattern.TREE_UP_DOWN, pair.sendPort().protocol(work.bytes()), 1, work);
    }

    /** A tree's connections with a child, or with the parent. */
    void tree(PeerPorts.Pair pair, boolean isParent, TreeGeometry geometry, CollectiveWork work) {
        Pattern pattern = switch (work.function()) {
            case REDUCE -> Pattern.TREE_UP;
            case BROADCAST -> Pattern.TREE_DOWN;
            default -> Pattern.TREE_UP_DOWN;
        };
        if (isParent ? pattern != Pattern.TREE_UP : pattern != Pattern.TREE_DOWN) {
            steps(pair.recv(), pattern, work.protocol(), geometry.nChunks(), work);
        }
        if (isParent ? pattern != Pattern.TREE_DOWN : pattern != Pattern.TREE_UP) {
            steps(pair.send(), pattern, work.protocol(), geometry.nChunks(), work);
        }
    }

    /** One round of an all-gather or a reduce-scatter in few rounds. Each connection has the protocol of its port. */
    void round(PeerPorts.Pair to, PeerPorts.Pair from, long bytes, CollectiveWork work) {
        Pattern pattern = work.function() == CollFunction.ALL_GATHER ? Pattern.PAT_DOWN : Pattern.PAT_UP;
        steps(from.recv(), pattern, from.recvPort().protocol(bytes), 1, work);
        steps(to.send(), pattern, to.sendPort().protocol(bytes), 1, work);
    }

    /** One way of a block of a file's algorithm; null if nothing goes there. */
    void block(ConnectionEnd end, int nsteps, CollectiveWork work) {
        if (end != null) {
            steps(end, Pattern.RING, Protocol.SIMPLE, nsteps, work);
        }
    }

    private void steps(ConnectionEnd end, Pattern pattern, Protocol protocol, int nsteps, CollectiveWork work) {
        if (end.needsProxy()) {
            fill(append(work.opCount(), end), work.function(), pattern, protocol).nsteps(nsteps).sliceSteps(1)
                    .chunkSteps(1).nbytes(end.device().stepBytes(protocol)).dtype(work.type().ordinal())
                    .redOp(work.op() == null ? 0 : work.op().proxied().ordinal()).root(work.root());
        }
    }

    /** A message, in or out. Returns whether the network takes it from where it is, or puts it where it belongs. */
    boolean message(long opCount, ConnectionEnd end, Port port, MessagePart part) {
        if (!end.needsProxy()) {
            return false;
        }
        ProxyOpEncoder op = appendMessage(opCount, end, port, part.bytes());
        RegisteredMemory piece = planner.find(part);
        long handle = piece == null ? 0 : port.isSend() ? piece.peerSend[end.peer()] : piece.peerRecv[end.peer()];
        if (handle == 0) {
            return false;
        }
        if (port.isSend()) {
            op.reg(1).sendMhandle(handle).sendbuff(piece.offset(part.buffer()));
        } else {
            op.reg(1).recvMhandle(handle).recvbuff(piece.offset(part.buffer()));
        }
        return true;
    }

    /** A channel's part of a message, in or out. */
    void part(long opCount, int channel, ConnectionEnd end, Port port, long bytes) {
        if (end.needsProxy()) {
            appendMessage(opCount, end, port, bytes).channelId(channel);
        }
    }

    private void fillRing(ProxyOpEncoder op, Ring ring, RingGeometry geometry, Pattern pattern, CollectiveWork work) {
        fill(op, work.function(), pattern, work.protocol()).channelId(ring.channel()).nsteps(geometry.nsteps())
                .sliceSteps(geometry.sliceSteps()).chunkSteps(geometry.chunkSteps()).chunkSize(geometry.chunkBytes())
                .nbytes(ring.stepBytes(work.protocol()) * geometry.sliceSteps()).dtype(work.type().ordinal())
                .redOp(work.op() == null ? 0 : work.op().proxied().ordinal()).root(work.root());
    }

    private ProxyOpEncoder appendMessage(long opCount, ConnectionEnd end, Port port, long bytes) {
        Protocol protocol = port.protocol(bytes);
        boolean isSend = port.isSend();
        return fill(append(opCount, end), isSend ? CollFunction.SEND : CollFunction.RECV,
                isSend ? Pattern.SEND : Pattern.RECV, protocol).root(end.peer())
                .sliceSteps(1).chunkSteps(1).nsteps(port.nsteps(bytes)).nbytes(end.device().stepBytes(protocol));
    }

    private ProxyOpEncoder append(long opCount, ConnectionEnd end) {
        return sink.append(opCount).connection(end.id()).peer(end.connector().request().peer().rank());
    }

    private ProxyOpEncoder fill(ProxyOpEncoder op, CollFunction function, Pattern pattern, Protocol protocol) {
        return op.rank(rank).coll(function.ordinal()).pattern(pattern.ordinal()).protocol(protocol.ordinal());
    }
}
