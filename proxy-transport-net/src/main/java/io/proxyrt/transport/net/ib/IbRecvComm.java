/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.ReceiveRequest;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Receives. An irecv writes into the sender's FIFO where its messages go; it is complete when an immediate has come by
 * each queue pair that they take. Receives for immediates are posted ahead, several at a time: which irecv an immediate
 * belongs to follows from how many have come by its queue pair.
 *
 * <pre>
 *  tested  ≤  complete  ≤  posted  ≤  tested + 32     (irecvs, when tested in order)
 * </pre>
 */
final class IbRecvComm extends IbComm implements NetRecvComm {
    /** Work requests in a send queue, which are elements of the sender's FIFO; each half is freed at once. */
    static final int SENDS = 512;
    /** Receives that are posted anew at once. */
    private static final int BATCH = 16;
    /** Receives in a receive queue: for all that may come until the next batch. */
    static final int RECEIVES = ClearToSend.SLOTS + BATCH;
    /** Flushes that may be outstanding. */
    private static final int FLUSH_SLOTS = 256;
    /** Distinguishes requests of flushes. */
    private static final long FLUSHES = 1L << 62;

    private final IbMemory[] targets = new IbMemory[ClearToSend.SLOTS * ClearToSend.MAX_RECVS];
    private final long[] offsets = new long[ClearToSend.SLOTS * ClearToSend.MAX_RECVS];
    private final int[] tags = new int[ClearToSend.SLOTS * ClearToSend.MAX_RECVS];
    private final long[] capacities = new long[ClearToSend.SLOTS * ClearToSend.MAX_RECVS];
    private final long[] received = new long[ClearToSend.SLOTS * ClearToSend.MAX_RECVS];
    private final int[] counts = new int[ClearToSend.SLOTS];
    /** Immediates that an irecv waits for. */
    private final int[] pending = new int[ClearToSend.SLOTS];
    private final boolean[] isOutstanding = new boolean[ClearToSend.SLOTS];
    private final RecvFailover failover;
    private WriteChain chain;
    private MemorySegment receives;
    /** Of each queue pair: immediates that have come, and elements that were written and are not known to be. */
    private long[] arrived;
    private int[] unacknowledged;
    private int[] sinceSignalled;
    private int signalInterval;
    /** Of each flush: ports where it is under way; negative if it is over and was not tested. */
    private final int[] flushPending = new int[FLUSH_SLOTS];
    private long posted;
    private long complete;
    private long delivered;
    private long flushes;
    private int flushesPending;
    /** Whether one of them is of a GPU's memory. */
    private boolean isFlushingGpu;

    /** Over queue pairs that take receives already, which the sender does not use yet. */
    IbRecvComm(IbNet net, Endpoint end, EndInfo remote, PeerWatch.Peer peer) {
        super(net, end.device(), peer);
        this.failover = isKept(net, remote) ? new RecvFailover(net, this) : null;
        begin(end, remote, failover);
    }

    @Override
    void adopt(Endpoint made, EndInfo theirs, long first) {
        super.adopt(made, theirs, first);
        chain = new WriteChain(made.arena(), 1, made.inlineBytes());
        receives = made.arena().allocate(RECEIVES * ReceiveRequest.BYTES, ReceiveRequest.BYTES);
        arrived = new long[plan.pairs()];
        unacknowledged = new int[plan.pairs()];
        sinceSignalled = new int[plan.pairs()];
        signalInterval = made.sends() / 2;
        assert signalInterval > 0 : made.sends();
        for (int pair = 0; pair < plan.pairs() && !isFailed(); pair++) {
            postReceives(pair, RECEIVES);
        }
    }

    @Override
    public long irecv(int n, NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
        if (isFailed()) {
            return code();
        }
        if (n < 1 || n > ClearToSend.MAX_RECVS) {
            return refuse(n + " messages cannot be received at once, " + ClearToSend.MAX_RECVS + " at most");
        }
        for (int i = 0; i < n; i++) {
            int refusal = check(memories[i], offsets[i], sizes[i]);
            if (refusal < 0) {
                return refusal;
            }
        }
        int slot = ClearToSend.slot(posted);
        if (isOutstanding[slot] || hasPairs() && isFull(plan.first(posted - base))) {
            progress();
            return code();
        }
        for (int i = 0; i < n; i++) {
            target(slot * ClearToSend.MAX_RECVS + i, (IbMemory) memories[i], offsets[i], sizes[i], tags[i]);
        }
        counts[slot] = n;
        isOutstanding[slot] = true;
        posted++;
        clearToSend(posted - 1);
        return isFailed() ? code() : posted;
    }

    private void target(int member, IbMemory memory, long offset, long bytes, int tag) {
        // A store of a reference costs the collector's barrier each time.
        if (targets[member] != memory) {
            targets[member] = memory;
        }
        offsets[member] = offset;
        capacities[member] = bytes;
        tags[member] = tag;
    }

    /** Tells the sender of an irecv, on whatever way there is; if there is none for now, it is told later. */
    private void clearToSend(long irecv) {
        int slot = ClearToSend.slot(irecv);
        if (hasPairs()) {
            pending[slot] = plan.pairsPerSend();
            writeElements(slot, irecv);
        } else {
            pending[slot] = 1;
            if (failover.hasTurned()) {
                failover.clearToSend(irecv);
            }
        }
    }

    /** Whether a send queue has no room. What was acknowledged is looked for: a test may have had no reason to. */
    private boolean isFull(int pair) {
        if (unacknowledged[pair] == end.sends()) {
            poll();
        }
        return unacknowledged[pair] == end.sends() || isFailed();
    }

    private void element(int slot, int index, long irecv) {
        int member = slot * ClearToSend.MAX_RECVS + index;
        IbMemory target = targets[member];
        long at = ClearToSend.element(slot, index);
        ClearToSend.set(memory, at, target.segment().address() + offsets[member], capacities[member], counts[slot],
                tags[member]);
        for (int port = 0; port < end.device().ports().size() && target.ports() > 0; port++) {
            ClearToSend.rkey(memory, at, port, target.rkey(memoryPort(port)));
        }
        ClearToSend.sequence(memory, at, irecv + 1);
    }

    /** The write is not waited for: one of many is signalled, for the queue has to be emptied. */
    private void writeElements(int slot, long irecv) {
        for (int i = 0; i < counts[slot]; i++) {
            element(slot, i, irecv);
        }
        int pair = plan.first(irecv - base);
        boolean isSignalled = sinceSignalled[pair] + 1 == signalInterval;
        long at = ClearToSend.element(slot, 0);
        chain.begin(end.workId(WorkId.CLEAR_TO_SEND, slot, pair));
        chain.add(SendRequest.RDMA_WRITE, isSignalled ? SendRequest.SIGNALED : 0, true, memory.address() + at,
                counts[slot] * ClearToSend.ELEMENT_BYTES, end.lkey(pair), remoteAddress + at,
                remoteKeys[pair % remoteKeys.length]);
        int errno = chain.post(end.pair(pair));
        if (errno != 0) {
            postFailed(errno, pair, "clear to send");
            return;
        }
        sinceSignalled[pair] = isSignalled ? 0 : sinceSignalled[pair] + 1;
        unacknowledged[pair]++;
    }

    /** {@inheritDoc} A byte of the last message that has any is read by each port, behind what the port has written. */
    @Override
    public long iflush(int n, NetMemory[] memories, long[] offsets, long[] sizes) {
        if (isFailed()) {
            return code();
        }
        int last = n - 1;
        while (last >= 0 && sizes[last] == 0) {
            last--;
        }
        if (last < 0 || end.flushPairs() == 0) {
            return 0;
        }
        if (!hasPairs()) {
            return withoutPairs(memories[last]);
        }
        int refusal = check(memories[last], offsets[last], sizes[last]);
        int slot = (int) (flushes & FLUSH_SLOTS - 1);
        if (refusal < 0 || flushPending[slot] != 0) {
            return refusal < 0 ? refusal : refuse("more than " + FLUSH_SLOTS + " flushes are outstanding");
        }
        if (flush(slot, (IbMemory) memories[last], offsets[last])) {
            return FLUSHES + ++flushes;
        }
        return isFailed() ? code() : withoutPairs(memories[last]);
    }

    private boolean flush(int slot, IbMemory target, long offset) {
        for (int i = 0; i < end.flushPairs(); i++) {
            int pair = plan.pairs() + i;
            chain.begin(end.workId(WorkId.FLUSH, slot, pair));
            chain.add(SendRequest.RDMA_READ, SendRequest.SIGNALED, false, memory.address() + ClearToSend.FLUSHED, 1,
                    end.lkey(pair), target.segment().address() + offset, target.rkey(memoryPort(pair)));
            int errno = chain.post(end.pair(pair));
            if (errno != 0) {
                postFailed(errno, pair, "a flush");
                return false;
            }
        }
        flushPending[slot] = end.flushPairs();
        flushesPending++;
        isFlushingGpu |= !target.isHosts();
        return true;
    }

    /** The host's memory needs no flush; a GPU's that was written to before queue pairs failed cannot have it. */
    private long withoutPairs(NetMemory target) {
        if (target instanceof IbMemory registered && registered.isHosts()) {
            return 0;
        }
        failUnflushed();
        return code();
    }

    private void failUnflushed() {
        fail(ProxyResult.REMOTE_ERROR, "connection with " + peer().name()
                + " is lost: its queue pairs failed before a GPU's memory was flushed");
    }

    /** Of those that were under way. */
    void endFlushes() {
        if (flushesPending > 0 && isFlushingGpu) {
            failUnflushed();
            return;
        }
        for (int slot = 0; slot < FLUSH_SLOTS; slot++) {
            flushPending[slot] = flushPending[slot] > 0 ? -1 : flushPending[slot];
        }
        flushesPending = 0;
    }

    @Override
    public int test(long request, long[] sizes) {
        if (request > FLUSHES) {
            return testFlush(request - FLUSHES);
        }
        if (request > complete && request <= posted) {
            progress();
        }
        if (request <= 0 || request > posted || request <= posted - ClearToSend.SLOTS
                || !isOutstanding[ClearToSend.slot(request - 1)]) {
            return notOutstanding(request);
        }
        if (request > complete) {
            return code();
        }
        int slot = ClearToSend.slot(request - 1);
        isOutstanding[slot] = false;
        for (int i = 0; i < counts[slot]; i++) {
            sizes[i] = received[slot * ClearToSend.MAX_RECVS + i];
        }
        return 1;
    }

    private int testFlush(long flush) {
        int slot = (int) (flush - 1 & FLUSH_SLOTS - 1);
        if (flush > flushes || flush <= flushes - FLUSH_SLOTS || flushPending[slot] == 0) {
            return notOutstanding(FLUSHES + flush);
        }
        if (flushPending[slot] > 0) {
            progress();
        }
        if (flushPending[slot] > 0) {
            return code();
        }
        flushPending[slot] = 0;
        return 1;
    }

    @Override
    boolean progress() {
        if (isFailed() || complete == posted && flushesPending == 0 && !isRestless()) {
            return false;
        }
        boolean isMoving = isFailingOver() && failover.progress();
        isMoving |= hasPairs() && poll() > 0;
        if (!isMoving) {
            lookAround();
        }
        return isMoving || isFailed();
    }

    @Override
    long messages() {
        return delivered;
    }

    @Override
    boolean isOver(long sent) {
        return delivered >= sent;
    }

    @Override
    void completed(long id, int immediate) {
        int pair = WorkId.pair(id);
        switch (WorkId.kind(id)) {
            case WorkId.RECEIVE -> arrived(pair, immediate);
            case WorkId.CLEAR_TO_SEND -> unacknowledged[pair] -= signalInterval;
            default -> flushed(WorkId.slot(id));
        }
    }

    private void flushed(int slot) {
        // Not of a flush that could not be posted at all ports.
        if (flushPending[slot] > 0 && --flushPending[slot] == 0) {
            flushPending[slot] = -1;
            flushesPending--;
            isFlushingGpu &= flushesPending > 0;
        }
    }

    private void arrived(int pair, int immediate) {
        long irecv = base + plan.message(pair, arrived[pair]++);
        if (arrived[pair] % BATCH == 0) {
            postReceives(pair, BATCH);
        }
        int slot = ClearToSend.slot(irecv);
        if (irecv >= posted || pending[slot] == 0) {
            fail(ProxyResult.REMOTE_ERROR, peer().name() + " sent a message that no receive was posted for");
        } else if (immediate == IbSendComm.TOO_LONG) {
            checkSizes(slot, irecv);
            fail(ProxyResult.REMOTE_ERROR, peer().name() + " says that a message is too long, and it is not");
        } else {
            received[slot * ClearToSend.MAX_RECVS] = Integer.toUnsignedLong(immediate);
            if (--pending[slot] == 0) {
                finish(slot, irecv);
            }
        }
    }

    private void finish(int slot, long irecv) {
        if (counts[slot] > 1) {
            checkSizes(slot, irecv);
        } else {
            check(slot, 0, irecv);
        }
        deliver();
    }

    private void deliver() {
        delivered++;
        while (complete < posted && pending[ClearToSend.slot(complete)] == 0 && !isFailed()) {
            complete++;
        }
    }

    /** The sender wrote them before the immediate. */
    private void checkSizes(int slot, long irecv) {
        VarHandle.acquireFence();
        for (int i = 0; i < counts[slot]; i++) {
            received[slot * ClearToSend.MAX_RECVS + i] = ClearToSend.size(memory, slot, i);
            check(slot, i, irecv);
        }
    }

    private void check(int slot, int index, long irecv) {
        long bytes = received[slot * ClearToSend.MAX_RECVS + index];
        long capacity = capacities[slot * ClearToSend.MAX_RECVS + index];
        if (bytes < 0 || bytes > capacity) {
            fail(ProxyResult.INVALID_USAGE, "message " + (irecv + 1) + " of " + peer().name() + " has " + bytes
                    + " bytes, and its receive " + capacity);
        }
    }

    long posted() {
        return posted;
    }

    boolean isPending(long irecv) {
        return pending[ClearToSend.slot(irecv)] > 0;
    }

    /** Receives that a queue pair has, of as many as it has completed. */
    long receives(int pair) {
        return RECEIVES + arrived[pair] / BATCH * BATCH - arrived[pair];
    }

    /** Tells the sender again of all that is not complete. */
    void clearAllToSend() {
        for (long irecv = Math.max(0, posted - ClearToSend.SLOTS); irecv < posted && !isFailed(); irecv++) {
            if (isPending(irecv)) {
                clearToSend(irecv);
            }
        }
    }

    int count(long irecv) {
        return counts[ClearToSend.slot(irecv)];
    }

    int tag(long irecv, int index) {
        return tags[ClearToSend.slot(irecv) * ClearToSend.MAX_RECVS + index];
    }

    long capacity(long irecv, int index) {
        return capacities[ClearToSend.slot(irecv) * ClearToSend.MAX_RECVS + index];
    }

    /** Messages whose sizes the sender told over the control connection: INVALID_USAGE if one does not fit. */
    void sized(long irecv, int index, long bytes) {
        int slot = ClearToSend.slot(irecv);
        received[slot * ClearToSend.MAX_RECVS + index] = bytes;
        check(slot, index, irecv);
    }

    /** Reads a message from there. */
    void expect(long irecv, int index, Runnable done) {
        int member = ClearToSend.slot(irecv) * ClearToSend.MAX_RECVS + index;
        if (targets[member].isHosts()) {
            failover.wire.expect(targets[member], offsets[member], received[member], done);
        } else {
            fail(ProxyResult.REMOTE_ERROR, "connection with " + peer().name()
                    + " is lost: its queue pairs failed, and what it receives goes to a GPU's memory");
        }
    }

    /** All messages of an irecv have come. */
    void carried(long irecv) {
        pending[ClearToSend.slot(irecv)] = 0;
        deliver();
    }

    private void postReceives(int pair, int count) {
        for (int i = 0; i < count; i++) {
            long at = i * ReceiveRequest.BYTES;
            ReceiveRequest.set(receives, at, end.workId(WorkId.RECEIVE, 0, pair),
                    i == count - 1 ? 0 : receives.address() + at + ReceiveRequest.BYTES);
        }
        int errno = end.pair(pair).postReceive(receives, 0);
        if (errno != 0) {
            postFailed(errno, pair, "receives");
        }
    }
}
