/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import static io.proxyrt.testkit.verbs.SoftMemory.ALL;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.QueuePairLimits;
import io.proxyrt.core.verbs.QueuePairPath;
import io.proxyrt.core.verbs.ReceiveRequest;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.core.verbs.VerbsEvent;
import io.proxyrt.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** A queue pair of a {@link SoftDomain}. All but the seam's methods are called under the fabric's lock. */
final class SoftQueuePair implements QueuePair {
    private static final int FOR_EVER = 7;

    private enum State {
        RESET, INIT, RTR, RTS, ERROR
    }

    private final SoftDomain domain;
    private final SoftDevice device;
    private final SoftFabric fabric;
    private final SoftCompletionQueue queue;
    private final SoftCounters counters;
    private final QueuePairLimits limits;
    private final SoftSends sends;
    private final SoftReceives receives;
    private final int number;
    private State state = State.RESET;
    private SoftPort port;
    private int access;
    private QueuePairPath path;
    /** RDMA reads that may be under way. */
    private int reads;
    private long timeoutNs;
    private int rnrRetry;
    /** What the first send waits for, as {@link SoftTransfer} numbers it; 0 if it does not wait. */
    private int awaited;
    private long sinceNs;
    private boolean isClosed;

    SoftQueuePair(SoftDomain domain, SoftCompletionQueue queue, QueuePairLimits limits) {
        this.domain = domain;
        this.device = domain.context().softDevice();
        this.fabric = device.fabric();
        this.queue = queue;
        this.counters = domain.context().counters();
        this.limits = limits;
        this.sends = new SoftSends(limits);
        this.receives = new SoftReceives(limits.receives());
        this.number = device.add(this);
        queue.add(this);
        fabric.add(this);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int inlineBytes() {
        return limits.inlineBytes();
    }

    @Override
    public void toInit(int toPort, int pkeyIndex, int permitted) {
        synchronized (fabric) {
            port = device.portOrNull(toPort);
            require(state == State.RESET && port != null && port.hasPkey(pkeyIndex), "INIT, on port " + toPort
                    + " with P_Key " + pkeyIndex);
            access = permitted;
            state = State.INIT;
        }
    }

    @Override
    public void toReadyToReceive(QueuePairPath toPath) {
        synchronized (fabric) {
            require(state == State.INIT && toPath.port() == port.number() && toPath.mtu() >= 1
                    && toPath.mtu() <= port.attributes().mtu() && isInRange(toPath) && isAddressed(toPath),
                    "RTR, " + toPath);
            SoftPort theirs = fabric.find(port, toPath);
            if (port.isEthernet() && (theirs == null || !theirs.isActive() || !port.isActive())) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, describe() + ": " + toPath.remoteGid()
                        + " does not resolve: ETIMEDOUT (110)");
            }
            path = toPath;
            state = State.RTR;
        }
    }

    private boolean isInRange(QueuePairPath toPath) {
        return isReads(toPath.maxReads()) && toPath.minRnrTimer() >>> 5 == 0 && toPath.serviceLevel() >>> 4 == 0
                && toPath.trafficClass() >>> 8 == 0 && toPath.gidIndex() >>> 8 == 0;
    }

    private boolean isReads(int maxReads) {
        return maxReads >= 0 && maxReads <= device.attributes().maxReads();
    }

    private boolean isAddressed(QueuePairPath toPath) {
        Gid mine = port.gid(toPath.gidIndex());
        return port.isEthernet() ? toPath.remoteGid() != null && !mine.isZero() : toPath.remoteLid() != 0;
    }

    @Override
    public void toReadyToSend(int timeout, int retries, int rnrRetries, int maxReads) {
        synchronized (fabric) {
            boolean isInRange = timeout >>> 5 == 0 && retries >>> 3 == 0 && rnrRetries >>> 3 == 0
                    && isReads(maxReads);
            require(state == State.RTR && isInRange, "RTS, with timeout " + timeout + ", " + retries + " retries, "
                    + rnrRetries + " for receives, " + maxReads + " reads");
            reads = maxReads;
            timeoutNs = timeout == 0 ? Long.MAX_VALUE : (4096L << timeout) * (retries + 1);
            rnrRetry = rnrRetries;
            state = State.RTS;
        }
    }

    private void require(boolean isPossible, String wanted) {
        device.requirePresent("change a queue pair");
        if (!isPossible || isClosed) {
            throw SoftErrors.refused(describe() + " cannot go from " + state + " to " + wanted, SoftErrors.EINVAL);
        }
    }

    private String describe() {
        return "queue pair " + number + " of " + device.name();
    }

    @Override
    public void toError() {
        synchronized (fabric) {
            SoftErrors.requireOpen(isClosed, describe());
            fail();
        }
    }

    @Override
    public int postSend(MemorySegment requests, long offset) {
        Objects.checkFromIndexSize(offset, SendRequest.BYTES, requests.byteSize());
        synchronized (fabric) {
            counters.sendPosts++;
            int errno = 0;
            for (long at = requests.address() + offset; at != 0 && errno == 0; at = SendRequest.next(ALL, at)) {
                errno = postSend(at);
            }
            if (!fabric.isHeld()) {
                run();
            }
            return errno;
        }
    }

    private int postSend(long request) {
        if (device.isGone()) {
            return SoftErrors.EIO;
        }
        int errno = isClosed || state.compareTo(State.RTS) < 0 ? SoftErrors.EINVAL : sends.add(request);
        if (errno == 0) {
            count(request);
        }
        if (state == State.ERROR) {
            flush();
        }
        return errno;
    }

    private void count(long request) {
        int flags = SendRequest.flags(ALL, request);
        counters.sends++;
        counters.signaledSends += (flags & SendRequest.SIGNALED) == 0 ? 0 : 1;
        counters.inlineSends += (flags & SendRequest.INLINE) == 0 ? 0 : 1;
        counters.inlineBytes += SoftSends.inlineBytes(request);
    }

    @Override
    public int postReceive(MemorySegment requests, long offset) {
        Objects.checkFromIndexSize(offset, ReceiveRequest.BYTES, requests.byteSize());
        synchronized (fabric) {
            counters.receivePosts++;
            int errno = 0;
            for (long at = requests.address() + offset; at != 0 && errno == 0; at = ReceiveRequest.next(ALL, at)) {
                errno = postReceive(at);
            }
            SoftQueuePair peer = path == null || fabric.isHeld() ? null : peer();
            if (peer != null && peer.awaited == SoftTransfer.NO_RECEIVE) {
                peer.run();
            }
            return errno;
        }
    }

    private int postReceive(long request) {
        if (device.isGone()) {
            return SoftErrors.EIO;
        }
        if (isClosed || state == State.RESET) {
            return SoftErrors.EINVAL;
        }
        if (receives.isFull()) {
            return SoftErrors.ENOMEM;
        }
        counters.receives++;
        receives.add(ReceiveRequest.id(ALL, request));
        if (state == State.ERROR) {
            flush();
        }
        return 0;
    }

    /** Does what can be done of what is posted. */
    void run() {
        boolean isDone = true;
        while (isDone) {
            isDone = step();
        }
    }

    /** Does one send; false if there is none, or if it has to wait. */
    boolean step() {
        if (state != State.RTS || sends.isEmpty()) {
            return false;
        }
        int status = SoftTransfer.carry(this);
        if (status < 0 && isPatient(status)) {
            return false;
        }
        finish(status < 0 ? late(status) : status);
        return true;
    }

    private boolean isPatient(int what) {
        long nowNs = System.nanoTime();
        if (awaited != what) {
            await(what);
            sinceNs = nowNs;
        }
        return nowNs - sinceNs < (what == SoftTransfer.NO_ANSWER ? timeoutNs : receiveTimeoutNs());
    }

    private long receiveTimeoutNs() {
        return rnrRetry == FOR_EVER ? Long.MAX_VALUE : rnrRetry * rnrNs(peer().path.minRnrTimer());
    }

    /** The times that IBTA numbers: 10 us for 1, and twice as much for each two more. */
    private static long rnrNs(int timer) {
        long us = switch (timer) {
            case 0 -> 655_360;
            case 1 -> 10;
            default -> timer % 2 == 0 ? 10L << timer / 2 : 15L << timer / 2;
        };
        return us * 1000;
    }

    private static int late(int what) {
        return what == SoftTransfer.NO_ANSWER ? WorkCompletion.RETRY_EXCEEDED : WorkCompletion.RNR_RETRY_EXCEEDED;
    }

    private void await(int what) {
        queue.waiting((what == 0 ? 0 : 1) - (awaited == 0 ? 0 : 1));
        awaited = what;
    }

    /** Its time is up, if it waits. */
    void expire() {
        if (awaited != 0) {
            finish(late(awaited));
        }
    }

    /** A queue that runs over fails its queue pairs, and what they have posted is flushed then. */
    private void finish(int status) {
        await(0);
        if (state == State.RTS) {
            complete(status);
        }
        if (status != WorkCompletion.SUCCESS) {
            fail();
        }
    }

    private void complete(int status) {
        int slot = sends.slot();
        long position = sends.position();
        sends.next();
        if (status != WorkCompletion.SUCCESS || sends.isSignaled(slot)) {
            queue.addSent(this, position, sends.id(slot), status, sends.opcode(slot) == SendRequest.RDMA_READ
                    ? WorkCompletion.RDMA_READ : WorkCompletion.RDMA_WRITE);
        }
    }

    /** What is posted completes, flushed. */
    void fail() {
        if (!isClosed && state != State.ERROR) {
            await(0);
            state = State.ERROR;
            flush();
        }
    }

    private void flush() {
        while (!sends.isEmpty()) {
            complete(WorkCompletion.FLUSH_ERROR);
        }
        while (!receives.isEmpty()) {
            queue.addReceived(this, receives.take(), WorkCompletion.FLUSH_ERROR, 0, 0);
        }
    }

    /** The peer's queue pair, if it answers; else null. */
    SoftQueuePair peer() {
        SoftPort theirs = port.isActive() ? fabric.find(port, path) : null;
        if (theirs == null || !theirs.isActive()) {
            return null;
        }
        SoftQueuePair peer = theirs.device().queuePair(path.remoteNumber());
        return peer != null && peer.listensTo(this) ? peer : null;
    }

    private boolean listensTo(SoftQueuePair other) {
        return (state == State.RTR || state == State.RTS) && path.remoteNumber() == other.number
                && other.port.isSource(other.path.gidIndex(), port, path);
    }

    /** A write of the peer has come, and takes a receive. */
    void received(int bytes, int immediate) {
        queue.addReceived(this, receives.take(), WorkCompletion.SUCCESS, bytes, immediate);
    }

    /** The peer tried what it may not. */
    void refused() {
        device.tell(new VerbsEvent(VerbsEvent.QP_ACCESS_ERR, 0, number));
        fail();
    }

    /** A completion has been polled: what came before it is known to be done. */
    void polled(long position) {
        if (position == SoftCompletionQueue.RECEIVE) {
            receives.free();
        } else {
            sends.free(position);
        }
    }

    boolean permits(int wanted) {
        return (access & wanted) == wanted;
    }

    /** Whether it may have reads under way. */
    boolean mayRead() {
        return reads > 0;
    }

    /** Whether its peer may have reads under way. */
    boolean answersReads() {
        return path.maxReads() > 0;
    }

    long maxMessageBytes() {
        return port.attributes().maxMessageBytes();
    }

    int mtu() {
        return path.mtu();
    }

    SoftSends sends() {
        return sends;
    }

    SoftReceives receives() {
        return receives;
    }

    SoftDomain domain() {
        return domain;
    }

    SoftDevice device() {
        return device;
    }

    @Override
    public void close() {
        synchronized (fabric) {
            if (!isClosed) {
                await(0);
                isClosed = true;
                queue.remove(this);
                device.remove(this);
                fabric.remove(this);
                domain.leave();
            }
        }
    }
}
