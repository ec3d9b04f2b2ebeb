/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** The receiving end of a {@link Failover}. */
final class RecvFailover extends Failover {
    private static final long SHORTEST_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(2);
    /** Queue pairs that fail sooner are not made anew as fast. */
    private static final long STEADY_NS = TimeUnit.SECONDS.toNanos(10);

    private final IbNet net;
    private final IbRecvComm comm;
    /** By queue pair: receives that came back, flushed. */
    private long[] flushed;
    private long waitNs = SHORTEST_WAIT_NS;
    private long nextNs;
    private long returnedNs = System.nanoTime() - STEADY_NS;
    /** The peer's end of queue pairs that are being made. */
    private EndInfo offer;
    private boolean hasSwitched;

    RecvFailover(IbNet net, IbRecvComm comm) {
        super(net, comm, comm.peer());
        this.net = net;
        this.comm = comm;
    }

    @Override
    void beginDraining() {
        flushed = new long[comm.plan.pairs()];
        waitNs = System.nanoTime() - returnedNs < STEADY_NS ? waitNs : SHORTEST_WAIT_NS;
        hasSwitched = false;
    }

    @Override
    void failed(long id, int status) {
        if (WorkId.kind(id) == WorkId.RECEIVE) {
            flushed[WorkId.pair(id)]++;
        }
    }

    @Override
    boolean isDrained() {
        for (int pair = 0; pair < flushed.length; pair++) {
            if (flushed[pair] < comm.receives(pair)) {
                return false;
            }
        }
        return true;
    }

    /** How many irecvs it has posted, and which of the last of them are complete, by slot. */
    @Override
    ByteBuffer state() {
        long isThere = 0;
        for (long irecv = Math.max(0, comm.posted() - ClearToSend.SLOTS); irecv < comm.posted(); irecv++) {
            isThere |= comm.isPending(irecv) ? 0 : 1L << ClearToSend.slot(irecv);
        }
        return ByteBuffer.allocate(2 * Long.BYTES).putLong(comm.posted()).putLong(isThere).flip();
    }

    @Override
    void turned() {
        comm.endFlushes();
        comm.clearAllToSend();
        nextNs = System.nanoTime() + waitNs;
    }

    @Override
    void peerTurned(ByteBuffer contents) {
        require(!contents.hasRemaining(), "it turned with " + contents.remaining() + " bytes");
    }

    void clearToSend(long irecv) {
        int count = comm.count(irecv);
        ByteBuffer contents = ByteBuffer.allocate(Long.BYTES + Integer.BYTES + count * (Long.BYTES + Integer.BYTES))
                .putLong(irecv).putInt(count);
        for (int i = 0; i < count; i++) {
            contents.putLong(comm.capacity(irecv, i)).putInt(comm.tag(irecv, i));
        }
        wire.add(FailoverWire.CLEAR_TO_SEND, contents.flip());
    }

    @Override
    void take(long code, ByteBuffer contents) {
        if (code == FailoverWire.DATA) {
            data(contents);
        } else if (code == FailoverWire.TOO_LONG) {
            sizes(contents);
            require(comm.isFailed(), "it says that a message is too long, and it is not");
        } else if (code == FailoverWire.OFFER) {
            offered(EndInfo.decode(contents));
        } else if (code == FailoverWire.SWITCH) {
            switchOver(contents.getLong());
        } else {
            require(false, "it sent frame " + code);
        }
    }

    private void data(ByteBuffer contents) {
        long irecv = sizes(contents);
        int count = comm.isFailed() ? 0 : comm.count(irecv);
        for (int i = 0; i < count; i++) {
            comm.expect(irecv, i, i == count - 1 ? () -> carried(irecv) : null);
        }
    }

    /** The sender's message is complete only now: what the system has sent is lost if a socket is closed too soon. */
    private void carried(long irecv) {
        comm.carried(irecv);
        wire.add(FailoverWire.DELIVERED, irecv);
    }

    private long sizes(ByteBuffer contents) {
        long irecv = contents.getLong();
        int count = contents.getInt();
        boolean isOpen = irecv >= Math.max(0, comm.posted() - ClearToSend.SLOTS) && irecv < comm.posted()
                && comm.isPending(irecv) && count == comm.count(irecv);
        if (require(isOpen, "it sent " + count + " messages for receive " + irecv)) {
            for (int i = 0; i < count; i++) {
                comm.sized(irecv, i, contents.getLong());
            }
        }
        return irecv;
    }

    /** Tells the peer now and then that there are ports which are up. */
    @Override
    boolean seek() {
        long nowNs = System.nanoTime();
        if (isMaking() || !isCarrying() || nowNs - nextNs < 0) {
            return false;
        }
        waitNs = Math.min(2 * waitNs, LONGEST_WAIT_NS);
        nextNs = nowNs + waitNs;
        IbDevice active = comm.device().active();
        if (active == null) {
            return false;
        }
        wire.add(FailoverWire.INVITE, ByteBuffer.allocate(Integer.BYTES).putInt(active.ports().size()).flip());
        return true;
    }

    private void offered(EndInfo peer) {
        IbDevice active = comm.device().active();
        if (active == null || isMaking()) {
            giveUp("no port is up any more");
            return;
        }
        offer = peer;
        start(active, setUp -> setUp.receiveAgain(peer));
    }

    @Override
    void made(Endpoint end) {
        wire.add(FailoverWire.ANSWER, SetUp.answer(net.settings(), end, offer).encode());
    }

    /** What is ahead of it has come. */
    private void switchOver(long first) {
        long oldest = Math.max(0, comm.posted() - ClearToSend.SLOTS);
        boolean isDue = candidate() != null && first >= oldest && first <= comm.posted();
        for (long irecv = oldest; irecv < first && isDue; irecv++) {
            isDue = !comm.isPending(irecv);
        }
        if (!require(isDue, "it goes over to queue pairs with message " + first)) {
            return;
        }
        wire.add(FailoverWire.SWITCHED);
        hasSwitched = true;
        returnedNs = System.nanoTime();
        returning(candidate());
        comm.adopt(takeCandidate(), offer, first);
        comm.end.attach(comm);
        if (hasPairs()) {
            comm.clearAllToSend();
        }
    }

    @Override
    boolean isReturned() {
        return hasSwitched;
    }
}
