/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.core.verbs.WorkCompletion;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * What both ends of a connection have in common: completions are brought by looks at the queues, its own and those of
 * other comms, and the first failure ends all.
 */
abstract class IbComm implements NetComm, CompletionSink {
    /** How long after its farewell messages of a peer may be on their way. */
    private static final long LAST_MESSAGES_NS = TimeUnit.SECONDS.toNanos(1);

    /** The queue pairs, and what goes with them: others, once it has failed over. */
    Endpoint end;
    PairPlan plan;
    MemorySegment memory;
    long remoteAddress;
    /** By port of the peer. */
    int[] remoteKeys;
    /** Irecvs ahead of the first one that goes by these queue pairs. */
    long base;
    private final IbNet net;
    private final IbDevice device;
    private final PeerWatch.Peer peer;
    /** Null if the connection ends with its queue pairs. */
    private Failover failover;
    private EndInfo remote;
    private IbPort[] ports;
    /** By port: its place among those that memory is registered at. */
    private int[] places;
    private int[] portFailures;
    /** By port: how often queue pairs of its adapter had failed when it was looked last. */
    private int[] pairFailures;
    private ProxyResult result = ProxyResult.SUCCESS;
    private String failure = "";
    private long leftNs;
    /** Completions that were brought, and those of them that this comm knows of by a look of its own. */
    private long brought;
    private long known;
    private boolean isClosed;

    IbComm(IbNet net, IbDevice device, PeerWatch.Peer peer) {
        this.net = net;
        this.device = device;
        this.peer = peer;
    }

    /** Whether both ends want to keep the connection when its queue pairs fail. */
    static boolean isKept(IbNet net, EndInfo remote) {
        return net.settings().failing().isFailingOver() && remote.isFailingOver();
    }

    /** Begins with the first queue pairs; null if it is to end with them. */
    final void begin(Endpoint first, EndInfo theirs, Failover without) {
        adopt(first, theirs, 0);
        failover = without;
    }

    /** Takes queue pairs over, which carry the irecvs from this one on. */
    void adopt(Endpoint made, EndInfo theirs, long first) {
        end = made;
        plan = made.plan();
        memory = made.memory();
        base = first;
        remote = theirs;
        remoteAddress = theirs.address();
        remoteKeys = theirs.ports().stream().mapToInt(EndInfo.Port::rkey).toArray();
        ports = made.device().ports().toArray(IbPort[]::new);
        places = made.device().ports().stream().mapToInt(device.ports()::indexOf).toArray();
        portFailures = made.portFailures();
        pairFailures = new int[ports.length];
    }

    /** Whether messages go by queue pairs. */
    final boolean hasPairs() {
        return failover == null || failover.hasPairs();
    }

    /** Whether there is more to do than what queue pairs do. */
    final boolean isFailingOver() {
        return failover != null && failover.isActive();
    }

    /** Whether there is, or will be when the comm has looked. */
    final boolean isRestless() {
        return !isFailed() && (isFailingOver() || peer.hasTurned());
    }

    /** Which of the ports that memory is registered at a queue pair is at. */
    final int memoryPort(int pair) {
        return places[pair % places.length];
    }

    /** Takes note of a completion that succeeded. */
    abstract void completed(long id, int immediate);

    /** Messages that went all the way: of the sending end those that are complete, of the receiving end the same. */
    abstract long messages();

    /** Whether the other end's having left means that nothing can complete any more. */
    abstract boolean isOver(long sent);

    /** The other end left in peace, after so many messages. */
    void peerLeft(long messages) {
    }

    /** Moves on what can move. Returns whether something did. */
    abstract boolean progress();

    final IbDevice device() {
        return device;
    }

    final PeerWatch.Peer peer() {
        return peer;
    }

    @Override
    public final NetMemory regMr(MemorySegment buffer) {
        if (buffer.isReadOnly() && this instanceof IbRecvComm) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "read-only memory cannot receive");
        }
        return net.registry().register(device, buffer);
    }

    @Override
    public final NetMemory regMrDmaBuf(MemorySegment range, DmaBuf dmaBuf) {
        return net.registry().register(device, range, dmaBuf);
    }

    @Override
    public final String failure() {
        return failure;
    }

    final boolean isFailed() {
        return result != ProxyResult.SUCCESS;
    }

    /** The negated result: 0 as long as nothing failed. */
    final int code() {
        return -result.code();
    }

    final void fail(ProxyResult why, String detail) {
        if (!isFailed()) {
            result = why;
            failure = detail;
            if (failover != null) {
                failover.failed(why);
            }
        }
    }

    /** Queue pairs failed: the end, unless the connection goes on without them. */
    private void lose(ProxyResult why, String detail) {
        if (failover == null || !failover.begin(detail)) {
            hearLast();
            fail(why, detail + lastWords());
        }
    }

    /** Why the peer left, if it has; that may be heard at any moment, so it is asked for at the end. */
    private String lastWords() {
        return peer.hasLeft() ? "; the control connection " + peer.how() : "";
    }

    final int refuse(String detail) {
        if (!isFailed()) {
            failure = detail;
        }
        return -ProxyResult.INVALID_ARGUMENT.code();
    }

    /** Returns 0, or a negated error if a message cannot be there. */
    final int check(NetMemory memory, long offset, long bytes) {
        if (!(memory instanceof IbMemory registered) || !registered.isUsable()) {
            return refuse("memory is not registered with this network, or no longer, or was freed");
        }
        long all = registered.segment().byteSize();
        if ((offset | bytes) < 0 || offset > all - bytes) {
            return refuse("bytes " + offset + " to " + offset + " + " + bytes + " are not within the " + all
                    + " registered");
        }
        if (registered.device() != device) {
            return refuse("the memory is registered with another device than " + device.name());
        }
        return 0;
    }

    final int notOutstanding(long request) {
        return refuse("request " + request + " is not outstanding on the connection with " + peer.name());
    }

    /** Looks for completions, unless others did since the last time. Returns how many were brought since then. */
    final int poll() {
        if (!isFailed()) {
            end.look();
        }
        return news();
    }

    private int news() {
        int news = (int) (brought - known);
        known = brought;
        return news;
    }

    /** Whether completions were brought by looks of others, since this comm looked last. */
    final boolean isNews() {
        return news() > 0;
    }

    @Override
    public final void queueFailed(String why) {
        brought++;
        if (hasPairs()) {
            lose(ProxyResult.SYSTEM_ERROR, "connection with " + peer.name() + " is lost: " + why);
        } else {
            failover.queueFailed();
        }
    }

    @Override
    public final void complete(MemorySegment completions, long at) {
        brought++;
        if (isFailed()) {
            return;
        }
        long id = WorkCompletion.id(completions, at);
        int status = WorkCompletion.status(completions, at);
        if (status == WorkCompletion.SUCCESS) {
            completed(id, WorkCompletion.opcode(completions, at) == WorkCompletion.RECV_RDMA_WITH_IMM
                    ? WorkCompletion.immediate(completions, at) : 0);
        } else {
            failed(id, status, WorkCompletion.vendorError(completions, at));
        }
    }

    private void failed(long id, int status, int vendorError) {
        if (!hasPairs()) {
            failover.failed(id, status);
        } else {
            broke(id, status, vendorError);
        }
    }

    private void broke(long id, int status, int vendorError) {
        int pair = Math.min(WorkId.pair(id), plan.pairs());
        String to = pair < plan.pairs() ? " to QP " + remote.pairs().get(pair) + " at "
                + remote.ports().get(pair % remote.ports().size()).name() : "";
        String text = "connection with " + peer.name() + " broke in " + WorkId.text(id) + ": "
                + WorkCompletion.statusName(status) + " (vendor " + vendorError + ") on QP " + end.pair(pair).number()
                + " at " + end.port(pair).name() + to + "; " + StatusHint.of(status);
        if (!StatusHint.isOfThePath(status)) {
            fail(ProxyResult.REMOTE_ERROR, text + lastWords());
            return;
        }
        lose(ProxyResult.REMOTE_ERROR, text);
        if (!hasPairs()) {
            failover.failed(id, status);
        }
    }

    final void postFailed(int errno, int pair, String what) {
        lose(ProxyResult.SYSTEM_ERROR, what + " for " + peer.name() + " could not be posted on QP "
                + end.pair(pair).number() + " at " + end.port(pair).name() + ": errno " + errno);
    }

    /** Whether a port is down, or the peer is gone. What completed before counts, so the queues are looked at first. */
    final void lookAround() {
        if (isTroubled()) {
            if (hasPairs()) {
                end.lookNow();
            }
            if (news() == 0) {
                judge();
            }
        }
    }

    private boolean isTroubled() {
        boolean isTroubled = peer.hasLeft() || peer.hasTurned();
        for (int i = 0; i < ports.length && net.settings().failing().isFailingByEvent(); i++) {
            isTroubled |= ports[i].failures() != portFailures[i]
                    || ports[i].adapter().pairFailures() != pairFailures[i];
        }
        return isTroubled;
    }

    private void judge() {
        if (hasPairs()) {
            lookAtPorts();
        }
        if (peer.hasLeft() && !isFailed()) {
            leaveBehind();
        } else if (peer.hasTurned() && !isFailingOver()) {
            lose(ProxyResult.REMOTE_ERROR, "connection with " + peer.name() + " lost its queue pairs there");
        }
    }

    private void lookAtPorts() {
        for (int i = 0; i < ports.length && net.settings().failing().isFailingByEvent(); i++) {
            if (ports[i].failures() != portFailures[i]) {
                lose(ports[i].lastFailure());
            }
            int failures = ports[i].adapter().pairFailures();
            if (failures != pairFailures[i]) {
                pairFailures[i] = failures;
                lookAtPairs(i);
            }
        }
    }

    private void lookAtPairs(int port) {
        for (int pair = port; pair < plan.pairs() + end.flushPairs(); pair += ports.length) {
            String what = ports[port].adapter().pairFailure(end.pair(pair).number());
            if (!what.isEmpty()) {
                lose(what);
            }
        }
    }

    private void lose(String what) {
        lose(ProxyResult.REMOTE_ERROR, "connection with " + peer.name() + " is lost: " + what);
    }

    private void hearLast() {
        if (peer.hasLeft() && peer.sent() >= 0) {
            peerLeft(peer.sent());
        }
    }

    /** The control connection may be faster than the last messages. */
    private void leaveBehind() {
        long nowNs = System.nanoTime();
        leftNs = leftNs == 0 ? nowNs : leftNs;
        hearLast();
        if (isOver(peer.sent()) || nowNs - leftNs > LAST_MESSAGES_NS) {
            fail(ProxyResult.REMOTE_ERROR, "connection with " + peer.name() + " " + peer.how());
        }
    }

    @Override
    public final void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        net.leave(this);
        if (failover != null) {
            failover.close();
        }
        peer.leave(isFailed() ? PeerWatch.Peer.FAILED : messages());
        fail(ProxyResult.INVALID_USAGE, "connection with " + peer.name() + " was closed here");
        end.close();
        peer.close();
        net.forget();
    }
}
