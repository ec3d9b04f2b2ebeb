/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** The sending end of a {@link Failover}. */
final class SendFailover extends Failover {
    private final IbNet net;
    private final IbSendComm comm;
    /** As the first queue pairs had it: all ports of an end took part in that. */
    private final int pairsPerPort;
    /** In place of the memory that the receiver wrote to, and of no adapter; null until then. */
    private MemorySegment fifo;
    /** By queue pair: whether the marker is posted. */
    private boolean[] isMarked;
    private int markers;
    /** Of the new queue pairs: those that were not probed yet; negative if one cannot be used. */
    private int probes;
    /** Ports by which the new queue pairs were planned; their peer's end. */
    private int invitedPorts;
    private EndInfo answer;
    private boolean isAwaitingSwitched;

    SendFailover(IbNet net, IbSendComm comm, PairPlan plan, EndInfo remote) {
        super(net, comm, comm.peer());
        this.net = net;
        this.comm = comm;
        this.pairsPerPort = plan.pairs() / Math.max(comm.device().ports().size(), remote.ports().size());
    }

    @Override
    void beginDraining() {
        isMarked = new boolean[comm.plan.pairs()];
        markers = 0;
        answer = null;
    }

    /** A queue may be full until what is flushed was taken from it. */
    @Override
    boolean isDrained() {
        boolean isPosted = true;
        for (int pair = 0; pair < isMarked.length; pair++) {
            isMarked[pair] = isMarked[pair] || comm.writeNothing(comm.end, WorkId.MARKER, pair) == 0;
            isPosted &= isMarked[pair];
        }
        return isPosted && markers == isMarked.length;
    }

    @Override
    void failed(long id, int status) {
        if (WorkId.kind(id) == WorkId.MARKER) {
            markers++;
        } else if (WorkId.kind(id) == WorkId.PROBE) {
            probes = -1;
        }
    }

    @Override
    ByteBuffer state() {
        return ByteBuffer.allocate(0);
    }

    @Override
    void turned() {
        fifo = fifo == null ? Arena.ofAuto().allocate(ClearToSend.BYTES, Long.BYTES) : fifo.fill((byte) 0);
        comm.memory = fifo;
    }

    /** What the receiver has not, goes again. */
    @Override
    void peerTurned(ByteBuffer contents) {
        long posted = contents.getLong();
        long isThere = contents.getLong();
        long written = comm.written();
        if (!require(posted >= written && posted - written <= ClearToSend.SLOTS, "it has posted " + posted
                + " receives, of which " + written + " were written to")) {
            return;
        }
        for (long irecv = Math.max(0, written - ClearToSend.SLOTS); irecv < written; irecv++) {
            int slot = ClearToSend.slot(irecv);
            boolean isKnown = irecv < posted - ClearToSend.SLOTS || (isThere >>> slot & 1) != 0;
            if (comm.isPending(slot) && isKnown) {
                comm.delivered(slot);
            } else if (comm.isPending(slot)) {
                comm.carry(slot, irecv);
            } else if (!require(isKnown, "message " + (irecv + 1) + " was acknowledged, and the receiver has not "
                    + "seen it")) {
                return;
            }
        }
    }

    @Override
    void take(long code, ByteBuffer contents) {
        if (code == FailoverWire.CLEAR_TO_SEND) {
            clearToSend(contents);
        } else if (code == FailoverWire.DELIVERED) {
            delivered(contents.getLong());
        } else if (code == FailoverWire.INVITE) {
            invited(contents.getInt());
        } else if (code == FailoverWire.ANSWER) {
            answered(EndInfo.decode(contents));
        } else if (code == FailoverWire.SWITCHED) {
            isAwaitingSwitched = false;
        } else {
            require(false, "it sent frame " + code);
        }
    }

    /** Those that were sent before the peer knew of new queue pairs come again by them. */
    private void clearToSend(ByteBuffer contents) {
        long irecv = contents.getLong();
        int count = contents.getInt();
        if (isAwaitingSwitched || irecv < comm.written()) {
            return;
        }
        if (!require(irecv < comm.written() + ClearToSend.SLOTS && count >= 1 && count <= ClearToSend.MAX_RECVS,
                "it tells of " + count + " messages for receive " + irecv)) {
            return;
        }
        int slot = ClearToSend.slot(irecv);
        for (int i = 0; i < count; i++) {
            long at = ClearToSend.element(slot, i);
            ClearToSend.set(fifo, at, 0, contents.getLong(), count, contents.getInt());
            ClearToSend.sequence(fifo, at, irecv + 1);
        }
    }

    private void delivered(long irecv) {
        boolean isUnderWay = irecv >= Math.max(0, comm.written() - ClearToSend.SLOTS) && irecv < comm.written()
                && comm.isPending(ClearToSend.slot(irecv));
        if (require(isUnderWay, "it has messages of receive " + irecv + " that were not sent")) {
            comm.delivered(ClearToSend.slot(irecv));
        }
    }

    void data(long irecv, long[] sizes) {
        wire.add(FailoverWire.DATA, sized(irecv, sizes));
    }

    void tooLong(long irecv, long[] sizes) {
        wire.add(FailoverWire.TOO_LONG, sized(irecv, sizes));
    }

    private static ByteBuffer sized(long irecv, long[] sizes) {
        ByteBuffer contents = ByteBuffer.allocate(Long.BYTES + Integer.BYTES + sizes.length * Long.BYTES)
                .putLong(irecv).putInt(sizes.length);
        for (long size : sizes) {
            contents.putLong(size);
        }
        return contents.flip();
    }

    private void invited(int remotePorts) {
        IbDevice active = comm.device().active();
        boolean isMeant = require(remotePorts >= 1 && remotePorts <= IbDevice.MAX_PORTS, "it has " + remotePorts
                + " ports");
        if (isMeant && active != null && !isMaking() && isCarrying()) {
            answer = null;
            invitedPorts = remotePorts;
            start(active, setUp -> setUp.openAgain(remotePorts, pairsPerPort));
        }
    }

    private void answered(EndInfo peer) {
        Endpoint offered = candidate();
        if (offered == null || answer != null) {
            return;
        }
        if (peer.pairs().size() != offered.plan().pairs() || peer.ports().size() != invitedPorts) {
            giveUp("it has other ports by now");
            return;
        }
        answer = peer;
        if (start(offered.device(), setUp -> setUp.connectAgain(offered, peer))) {
            takeCandidate();
        }
    }

    @Override
    boolean seek() {
        if (candidate() == null || answer == null) {
            return false;
        }
        candidate().look();
        if (probes < 0) {
            giveUp("the first write failed");
        } else if (probes == 0) {
            switchOver();
        }
        return probes <= 0;
    }

    private void switchOver() {
        wire.add(FailoverWire.SWITCH, comm.written());
        isAwaitingSwitched = true;
        returning(candidate());
        comm.adopt(takeCandidate(), answer, comm.written());
    }

    /** Either it is opened, or it is connected, too. */
    @Override
    void made(Endpoint end) {
        if (answer == null) {
            wire.add(FailoverWire.OFFER, SetUp.offer(net.settings(), end).encode());
            return;
        }
        probes = end.plan().pairs();
        end.attach(comm);
        for (int pair = 0; pair < end.plan().pairs(); pair++) {
            int errno = comm.writeNothing(end, WorkId.PROBE, pair);
            if (errno != 0) {
                giveUp("errno " + errno);
                return;
            }
        }
    }

    @Override
    void queueFailed() {
        probes = -1;
    }

    void probed() {
        probes -= probes > 0 ? 1 : 0;
    }

    @Override
    boolean isReturned() {
        return !isAwaitingSwitched;
    }
}
