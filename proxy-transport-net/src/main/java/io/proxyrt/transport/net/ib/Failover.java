/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.EOFException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Keeps a connection whose queue pairs fail: its messages go over the control connection, until there are new queue
 * pairs, at whatever ports are up then. Messages that the receiver has not seen are sent again.
 *
 * <pre>
 *  QUEUE_PAIRS ─ one fails, or the peer turned ─▶ DRAINING ─ all is flushed, says TURN ─▶ CARRYING
 *       ▲                                             ▲                                      │
 *       │                                             └───────── they fail as well ──┐       │ new queue pairs
 *       └──────────── the sender read SWITCHED, the receiver has sent it ──────── RETURNING ◀┘
 *
 *  sender                                       receiver
 *                    ◀─ TURN, what it has ──
 *                    ── TURN ─────────────▶
 *                    ◀─ CLEAR_TO_SEND ─────     each irecv that is not complete
 *                    ── DATA ─────────────▶
 *                    ◀─ DELIVERED ─────────
 *                    ◀─ INVITE ────────────     ports are up: now and then
 *                    ── OFFER ────────────▶
 *                    ◀─ ANSWER ────────────
 *   writes nothing by each of them: they work
 *                    ── SWITCH ───────────▶     complete up to there; the rest goes by the queue pairs
 *                    ◀─ SWITCHED ──────────
 * </pre>
 *
 * <p>The old queue pairs of both ends are over before a message is sent again, so that nothing of them comes late. The
 * thread that uses the comm.
 */
abstract class Failover implements FailoverWire.Reader {
    /** How long a broken adapter may take to complete what was posted. */
    private static final long DRAIN_NS = TimeUnit.SECONDS.toNanos(1);

    private enum State {
        QUEUE_PAIRS, DRAINING, CARRYING, RETURNING
    }

    final FailoverWire wire;
    private final IbNet net;
    private final IbComm comm;
    private final PeerWatch.Peer peer;
    private State state = State.QUEUE_PAIRS;
    private long drainUntilNs;
    /** How often each end has turned. */
    private int turns;
    private int peerTurns;
    private boolean isWatched = true;
    /** What is being made, and what was, in place of the queue pairs that failed. */
    private Attempt<Endpoint> attempt;
    private Endpoint candidate;

    Failover(IbNet net, IbComm comm, PeerWatch.Peer peer) {
        this.net = net;
        this.comm = comm;
        this.peer = peer;
        this.wire = peer.wire();
    }

    /** Whether messages go by queue pairs. */
    final boolean hasPairs() {
        return state == State.QUEUE_PAIRS || state == State.RETURNING;
    }

    /** Whether there is more to do than what queue pairs do. */
    final boolean isActive() {
        return state != State.QUEUE_PAIRS;
    }

    /** Whether they go over the control connection, at this end's side. */
    final boolean hasTurned() {
        return state == State.CARRYING;
    }

    /** Whether both ends know that they do. */
    final boolean isCarrying() {
        return state == State.CARRYING && turns == peerTurns;
    }

    /** Queue pairs are over. Returns whether the connection goes on without. */
    final boolean begin(String why) {
        if (!hasPairs()) {
            return true;
        }
        if (peer.hasLeft()) {
            return false;
        }
        IbNet.LOG.warn("rank {}: {}; its messages go over the control connection, until queue pairs lead to the peer "
                + "again", net.settings().rank(), why);
        state = State.DRAINING;
        drainUntilNs = System.nanoTime() + DRAIN_NS;
        comm.end.toError();
        beginDraining();
        if (isWatched) {
            isWatched = false;
            net.release(peer);
        }
        net.restless();
        return true;
    }

    /** Queue pairs take no more, and flush what they have: it is counted from now on. */
    abstract void beginDraining();

    /** Whether all that was posted is known to be over. */
    abstract boolean isDrained();

    /** What TURN says. */
    abstract ByteBuffer state();

    /** TURN is on its way. */
    abstract void turned();

    /** The peer's has come, and this end's was sent. */
    abstract void peerTurned(ByteBuffer contents);

    /** Any other frame. */
    abstract void take(long code, ByteBuffer contents);

    /** A work request of the old queue pairs failed, or of those that are being made. */
    abstract void failed(long id, int status);

    /** A queue that queue pairs which are being made complete to failed. */
    void queueFailed() {
    }

    /** What was being made is there. */
    abstract void made(Endpoint end);

    /** Looks whether something is to be made. Returns whether something was begun. */
    abstract boolean seek();

    /** Moves on what can move. Returns whether something did. */
    final boolean progress() {
        if (state == State.QUEUE_PAIRS || comm.isFailed() || state == State.DRAINING && !drain()
                || !peer.isReleased()) {
            return false;
        }
        try {
            boolean isMoving = wire.write() | wire.read(this) | make() | wire.write();
            if (state == State.RETURNING && isReturned() && wire.isWritten()) {
                state = State.QUEUE_PAIRS;
                isWatched = true;
                net.watch(peer);
            }
            return isMoving;
        } catch (EOFException e) {
            peer.cutShort();
            return true;
        } catch (IOException | IllegalStateException e) {
            comm.fail(ProxyResult.REMOTE_ERROR, "connection with " + peer.name()
                    + " is lost: its queue pairs failed before, and now what carries its messages: " + e);
            return true;
        }
    }

    /** Whether the other end is back, too. */
    abstract boolean isReturned();

    private boolean drain() {
        discard();
        comm.poll();
        if (!isDrained() && System.nanoTime() - drainUntilNs < 0) {
            return false;
        }
        comm.end.close();
        turns++;
        state = State.CARRYING;
        wire.add(FailoverWire.TURN, state());
        turned();
        return true;
    }

    @Override
    public final boolean isReading() {
        return !comm.isFailed() && !peer.hasLeft() && isActive() && (state != State.RETURNING || !isReturned());
    }

    @Override
    public final void farewell(long sent) {
        peer.farewell(sent);
    }

    @Override
    public final void frame(long code, ByteBuffer contents) {
        try {
            if (code == FailoverWire.TURN) {
                peerTurns++;
                require(turns == peerTurns, "it turned twice");
                peerTurned(contents);
            } else if (code == FailoverWire.DECLINE) {
                discard();
            } else {
                take(code, contents);
            }
        } catch (BufferUnderflowException e) {
            refuse("a frame " + code + " is cut short");
        } catch (ProxyException e) {
            refuse(e.getMessage());
        }
    }

    /** For what a peer says. */
    final boolean require(boolean holds, String otherwise) {
        if (!holds) {
            refuse(otherwise);
        }
        return holds;
    }

    private void refuse(String why) {
        comm.fail(ProxyResult.REMOTE_ERROR, "connection with " + peer.name() + ", whose queue pairs failed, is lost: "
                + why);
    }

    private boolean make() {
        if (state != State.CARRYING) {
            return false;
        }
        if (attempt == null) {
            return seek();
        }
        if (!attempt.isOver()) {
            return false;
        }
        Attempt<Endpoint> over = attempt;
        attempt = null;
        try {
            candidate = over.poll();
            made(candidate);
        } catch (ProxyException e) {
            giveUp(e.getMessage());
        }
        return true;
    }

    /** Whether there are, or will be, queue pairs that may be used. */
    final boolean isMaking() {
        return attempt != null || candidate != null;
    }

    /** Begins to make them at these ports, in a thread of its own. Returns whether there is one. */
    final boolean start(IbDevice at, Function<SetUp, Endpoint> action) {
        try {
            attempt = net.attemptAgain(at, peer.socket(), action);
        } catch (OutOfMemoryError e) {
            giveUp("no thread can be started: " + e.getMessage());
        }
        return attempt != null;
    }

    /** What was made, which is the caller's from now on. */
    final Endpoint takeCandidate() {
        Endpoint end = candidate;
        candidate = null;
        return end;
    }

    final Endpoint candidate() {
        return candidate;
    }

    /** They are of no use; both ends try again later. */
    final void giveUp(String why) {
        IbNet.LOG.debug("{}: no queue pairs yet: {}", peer.name(), why);
        discard();
        wire.add(FailoverWire.DECLINE);
    }

    private void discard() {
        if (attempt != null) {
            attempt.abandon();
            attempt = null;
        }
        if (candidate != null) {
            candidate.close();
            candidate = null;
        }
    }

    /** Over to new queue pairs: they may fail from now on. */
    final void returning(Endpoint made) {
        IbNet.LOG.info("rank {}: connection with {} goes by queue pairs at {} again", net.settings().rank(),
                peer.name(), made.device().name());
        state = State.RETURNING;
    }

    /**
     * The comm failed: the peer is told, as far as a frame under way lets it. Of a message that is too long it hears by
     * queue pairs, if there are any.
     */
    final void failed(ProxyResult why) {
        if (why == ProxyResult.INVALID_USAGE && hasPairs()) {
            return;
        }
        if (isSaid()) {
            peer.leave(PeerWatch.Peer.FAILED);
        } else {
            peer.cutOff();
        }
    }

    /** Ahead of the comm's end. */
    final void close() {
        if (attempt != null) {
            attempt.close();
        }
        discard();
        if (!comm.isFailed() && !isSaid()) {
            peer.cutOff();
        }
    }

    /** Whether all that was to be said is with the system, so that a farewell may follow. */
    private boolean isSaid() {
        try {
            wire.write();
        } catch (IOException | IllegalStateException e) {
            IbNet.LOG.debug("{}: the last frames were not sent: {}", peer.name(), e.toString());
        }
        return wire.isWritten();
    }
}
