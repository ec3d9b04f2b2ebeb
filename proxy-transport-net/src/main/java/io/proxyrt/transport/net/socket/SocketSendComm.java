/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * Sends. A message is complete when it was written; on a connection that is resumed when the receiver has acknowledged
 * it: until then its memory may be needed again.
 */
final class SocketSendComm implements NetSendComm, SocketComm {
    private final SocketCommFactory factory;
    private final SocketSession session;
    private final SocketClaim claim;
    private final SocketRequests requests;
    private final SocketStandstill standstill;
    private final SocketWaiter waiter;
    private final SocketWire control;
    private final SocketStreams streams;
    private final SocketFrameWriter frames;
    /** Null on connections that are not resumed, as {@code acks}. */
    private final SocketRedial redial;
    private final SocketAcks acks;
    private final SocketCursor cursor = new SocketCursor();
    private long acknowledged;

    /** Over connected sockets: data sockets first, the control socket last. */
    SocketSendComm(SocketCommFactory factory, SocketChannel[] channels, SocketSession session) {
        SocketTerms terms = session.terms();
        this.factory = factory;
        this.session = session;
        this.claim = new SocketClaim(terms.isResumable());
        this.requests = new SocketRequests(session);
        this.standstill = new SocketStandstill(requests, session.peer(), factory.settings().safety().timeoutNs());
        this.control = factory.engine().wire(channels[terms.sockets()]);
        this.redial = redial(terms.sockets());
        this.acks = terms.isResumable() ? new SocketAcks() : null;
        SocketStream[] sockets = new SocketStream[terms.sockets()];
        for (int i = 0; i < sockets.length; i++) {
            SocketWire wire = new SocketWire(factory.engine().unpaced(channels[i]), null);
            sockets[i] = new SocketSendStream(i, wire, requests.messages, redial(i));
        }
        this.streams = new SocketStreams(factory, session, requests, sockets);
        this.waiter = new SocketWaiter(this, requests, standstill, !terms.isResumable() && !streams.isHelped());
        this.frames = new SocketFrameWriter(control, requests, streams, terms.isChecked(),
                streams.isEmpty() ? Long.MAX_VALUE : factory.settings().sharing().inlineBytes());
    }

    SocketWaiter waiter() {
        return waiter;
    }

    @Override
    public NetMemory regMr(MemorySegment buffer) {
        return streams.register(buffer);
    }

    @Override
    public long isend(NetMemory memory, long offset, long bytes, int tag) {
        return isend(memory, offset, bytes, tag, 0);
    }

    @Override
    public long isend(NetMemory memory, long offset, long bytes, int tag, int stamp) {
        claim.take();
        try {
            boolean isIdle = frames.flushed() == requests.posted();
            long request = requests.post(memory, offset, bytes, tag);
            if (request <= 0) {
                return request;
            }
            requests.messages.stamps[SocketMessages.place(request)] = stamp;
            if (isIdle) {
                waiter.ready();
                drive(request, false);
                return requests.isFailed() ? requests.code() : request;
            }
            return request;
        } finally {
            claim.give();
        }
    }

    @Override
    public int test(long request, long[] sizes) {
        claim.take();
        try {
            if (requests.isPending(request)) {
                drive(request, true);
            }
            return requests.test(request, sizes);
        } finally {
            claim.give();
        }
    }

    @Override
    public String failure() {
        return requests.failure();
    }

    @Override
    public long awaitOn(Selector selector) throws ClosedChannelException {
        claim.takeForALook();
        try {
            boolean isWaiting = requests.isPending();
            control.awaitOn(selector, isWaiting ? awaitedOps() : 0, waiter);
            streams.awaitOn(selector, isWaiting, waiter);
            return isWaiting ? streams.longestSleepNs(streams.isNextThrough(done()), isUnderRepair()) : Long.MAX_VALUE;
        } finally {
            claim.give();
        }
    }

    @Override
    public void tend() {
        if (!claim.takeUnused(false)) {
            return;
        }
        try {
            if (!requests.isFailed()) {
                streams.drive();
                if (isUp()) {
                    hear();
                }
            }
        } catch (IOException | IllegalStateException e) {
            requests.broke(e);
        } finally {
            claim.give();
        }
    }

    @Override
    public void close() {
        // Before the claim is taken: a thread that parks has the lock of readiness, and takes the claim.
        factory.leave(this, waiter);
        claim.take();
        try {
            sayGoodbye();
            requests.close();
            streams.close();
            control.close();
            if (redial != null) {
                redial.close();
            }
            factory.readiness().forgetClosed();
        } finally {
            claim.give();
        }
    }

    private SocketRedial redial(int index) {
        return session.terms().isResumable() ? new SocketRedial(index, session, factory) : null;
    }

    private void drive(long request, boolean isAsked) {
        try {
            if (!waiter.skips()) {
                progress(request, isAsked);
            }
            if (requests.complete() < request) {
                streams.requireHelpers();
                if (standstill.isDue()) {
                    standstill.look(frames.total() + streams.total(),
                            requests.complete() < requests.posted() && !isUnderRepair() && !streams.isUnderRepair());
                }
            }
        } catch (IOException | IllegalStateException e) {
            requests.broke(e);
        }
    }

    /** Moves data until the request is complete or nothing can move. Asked by test, or not yet. */
    private void progress(long request, boolean isAsked) throws IOException {
        boolean isMoving = true;
        while (isMoving && requests.isPending(request)) {
            isMoving = push();
            isMoving |= streams.drive();
            settle();
            if (!isMoving && isAsked && acks != null) {
                isMoving = hear();
            }
        }
    }

    /** One system call, if there is something to write. Returns whether another one would be worth it. */
    private boolean push() throws IOException {
        if (!isUp()) {
            return false;
        }
        try {
            return frames.push();
        } catch (IOException e) {
            interrupted(e);
            return false;
        }
    }

    /** Takes note of what is through on all sockets. */
    private void settle() {
        while (streams.isNextThrough(done())) {
            requests.completeNext();
        }
    }

    /** Messages up to this one are through, as far as the control socket is concerned. */
    private long done() {
        return acks == null ? frames.flushed() : acknowledged;
    }

    private int awaitedOps() {
        return (frames.flushed() < requests.posted() ? SelectionKey.OP_WRITE : 0)
                | (acks == null ? 0 : SelectionKey.OP_READ);
    }

    /** Reads acknowledgements. Returns whether there was a new one. */
    private boolean hear() throws IOException {
        if (redial.isDue()) {
            return false;
        }
        long before = requests.complete();
        try {
            readAcks();
        } catch (IOException e) {
            interrupted(e);
        }
        return requests.complete() > before;
    }

    private void readAcks() throws IOException {
        if (!acks.isGoodbye()) {
            acknowledge(acks.read(control, acknowledged));
        }
        // A helper thread may not have noticed yet that it is through with what was acknowledged.
        if (acks.isGoodbye() && requests.complete() == acknowledged && !requests.isFailed()) {
            requests.closedByPeer();
        }
    }

    private void acknowledge(long message) {
        if (message < acknowledged || message > frames.staged()) {
            requests.fail(ProxyResult.REMOTE_ERROR, "connection to " + session.peer()
                    + " brought the acknowledgement of " + message + ", behind " + acknowledged + " and with "
                    + frames.staged() + " sent");
        } else if (message > acknowledged) {
            acknowledged = message;
            requests.messages.acknowledge(message);
            settle();
        }
    }

    private boolean isUnderRepair() {
        return redial != null && redial.isDue();
    }

    /** Whether the control socket can be used: it is up, or up again. */
    private boolean isUp() throws IOException {
        return !isUnderRepair() || isRestored();
    }

    /** The control socket broke: it is dialled again, or the comm fails. */
    private void interrupted(IOException why) throws IOException {
        if (redial == null) {
            throw why;
        }
        try {
            readAcks();
        } catch (IOException e) {
            SocketChannels.LOG.debug("nothing was left to read: {}", e.toString());
        }
        redial.begin(control, why);
    }

    private boolean isRestored() throws IOException {
        if (!redial.advance(control, cursor, requests.complete())) {
            return false;
        }
        long heard = redial.acknowledged();
        if (heard < acknowledged || cursor.at <= heard || !frames.isWithin(cursor)) {
            throw new IOException("the peer wants to go on at " + cursor + " after " + heard + ", and was sent up to "
                    + frames.staged());
        }
        acks.clear();
        acknowledge(heard);
        frames.resume(cursor);
        return true;
    }

    /** Tells the peer that the end is meant, where it would wait for another socket. */
    private void sayGoodbye() {
        if (redial == null || requests.isFailed() || redial.isDue()) {
            return;
        }
        try {
            frames.writeGoodbye();
        } catch (IOException e) {
            SocketChannels.LOG.debug("{} was not told of the end: {}", session.peer(), e.toString());
        }
    }
}
