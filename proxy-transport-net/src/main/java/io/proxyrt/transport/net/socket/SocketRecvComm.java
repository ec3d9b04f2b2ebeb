/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.socket.SocketCandidates.AcceptedSocket;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** Receives. On a connection that is resumed it acknowledges what is complete. */
final class SocketRecvComm implements NetRecvComm, SocketComm {
    /** A sender with more requests under way than this need not wait for the last of them to be acknowledged. */
    private static final int ACK_INTERVAL = 8;

    private final SocketCommFactory factory;
    private final SocketSession session;
    private final SocketClaim claim;
    private final SocketRequests requests;
    private final SocketStandstill standstill;
    private final SocketWaiter waiter;
    private final SocketWire control;
    private final SocketStreams streams;
    private final SocketFrameReader frames;
    private final SocketChecksum checksum;
    private final ByteBuffer ack = ByteBuffer.allocateDirect(2 * SocketFrame.ACK_BYTES);
    private final SocketCursor cursor = new SocketCursor();
    /** By socket, the control socket's last; none on connections that are not resumed. */
    private final SocketReturn[] returns;
    private final SocketReturn controlReturn;
    private long acknowledged;

    /** Over connected sockets: data sockets first, the control socket last. */
    SocketRecvComm(SocketCommFactory factory, SocketChannel[] channels, SocketSession session) {
        SocketTerms terms = session.terms();
        this.factory = factory;
        this.session = session;
        this.claim = new SocketClaim(terms.isResumable());
        this.requests = new SocketRequests(session);
        this.standstill = new SocketStandstill(requests, session.peer(), factory.settings().safety().timeoutNs());
        this.returns = new SocketReturn[terms.isResumable() ? terms.sockets() + 1 : 0];
        for (int i = 0; i < returns.length; i++) {
            returns[i] = new SocketReturn(i, session, factory.settings());
        }
        this.controlReturn = terms.isResumable() ? returns[terms.sockets()] : null;
        this.control = factory.engine().wire(channels[terms.sockets()]);
        SocketStream[] sockets = new SocketStream[terms.sockets()];
        for (int i = 0; i < sockets.length; i++) {
            SocketWire wire = new SocketWire(factory.engine().unpaced(channels[i]), null);
            sockets[i] = new SocketRecvStream(i, wire, requests.messages, terms.isResumable() ? returns[i] : null);
        }
        this.streams = new SocketStreams(factory, session, requests, sockets);
        this.waiter = new SocketWaiter(this, requests, standstill, !terms.isResumable() && !streams.isHelped());
        this.frames = new SocketFrameReader(control, session, requests, streams);
        this.checksum = terms.isChecked() ? new SocketChecksum() : null;
    }

    SocketSession session() {
        return session;
    }

    SocketWaiter waiter() {
        return waiter;
    }

    /** Keeper's thread: hands over a socket that was dialled again. */
    void offer(AcceptedSocket socket) {
        int index = socket.hello().index();
        if (!socket.hello().terms().equals(session.terms()) || index < 0 || index >= returns.length) {
            socket.turnAway("it is socket " + index + " of a connection with other terms");
            return;
        }
        returns[index].offer(socket);
        streams.nudge();
        factory.readiness().wake();
    }

    @Override
    public NetMemory regMr(MemorySegment buffer) {
        if (buffer.isReadOnly()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "read-only memory cannot receive");
        }
        return streams.register(buffer);
    }

    @Override
    public long irecv(int n, NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
        claim.take();
        try {
            return n == 1 ? requests.post(memories[0], offsets[0], sizes[0], tags[0])
                    : requests.refuse("an irecv of " + n + " messages on the connection with " + session.peer()
                            + ": sockets take 1");
        } finally {
            claim.give();
        }
    }

    @Override
    public long iflush(int n, NetMemory[] memories, long[] offsets, long[] sizes) {
        return 0;
    }

    @Override
    public int stamp(long request, int index) {
        return requests.messages.stamps[SocketMessages.place(request)];
    }

    @Override
    public int test(long request, long[] sizes) {
        claim.take();
        try {
            if (requests.isPending(request)) {
                drive(request);
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
            control.awaitOn(selector, isWaiting && frames.parsed() < requests.posted() ? SelectionKey.OP_READ : 0,
                    waiter);
            streams.awaitOn(selector, isWaiting, waiter);
            return isWaiting ? streams.longestSleepNs(streams.isNextThrough(frames.parsed()) || frames.hasBytes(),
                    isUnderRepair()) : Long.MAX_VALUE;
        } finally {
            claim.give();
        }
    }

    @Override
    public void tend() {
        if (!claim.takeUnused(isOffered())) {
            return;
        }
        try {
            if (!requests.isFailed()) {
                attend();
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
            for (SocketReturn repair : returns) {
                repair.close();
            }
            factory.readiness().forgetClosed();
        } finally {
            claim.give();
        }
    }

    private void drive(long request) {
        try {
            if (!waiter.skips()) {
                progress(request);
            }
            if (requests.complete() < request) {
                streams.requireHelpers();
                if (standstill.isDue()) {
                    boolean isPeerDue = frames.isInMessage() || requests.complete() < frames.parsed();
                    standstill.look(frames.total() + streams.total(),
                            isPeerDue && !isUnderRepair() && !streams.isUnderRepair());
                }
            }
        } catch (IOException | IllegalStateException e) {
            requests.broke(e);
        }
    }

    /** Moves data until the request is complete or nothing can move. */
    private void progress(long request) throws IOException {
        frames.refresh();
        // Headers are read ahead of what is asked for only where data sockets can do something with them.
        long upTo = streams.isEmpty() ? request : requests.posted();
        boolean isMoving = true;
        while (isMoving && requests.isPending(request)) {
            pull(upTo);
            isMoving = streams.drive();
            settle();
        }
        long complete = requests.complete();
        if (controlReturn != null && complete > acknowledged && (complete < request || complete == requests.posted()
                || complete - acknowledged >= ACK_INTERVAL)) {
            acknowledge();
        }
    }

    /** Looks after the sockets while the owner does not. */
    private void attend() throws IOException {
        if (controlReturn.isOffered()) {
            isRestored();
        }
        if (isOffered()) {
            streams.wake();
        }
        streams.drive();
        if (requests.complete() > acknowledged) {
            acknowledge();
        }
    }

    /** Reads the control socket until {@code upTo} messages have left it, or it is empty, or broke. */
    private void pull(long upTo) throws IOException {
        if (isUnderRepair() && !isRestored()) {
            return;
        }
        try {
            frames.read(upTo);
        } catch (EOFException e) {
            // Those ahead of it may still be under way on data sockets, and the end will be found again.
            if (controlReturn != null || requests.complete() == frames.parsed()) {
                interrupted(e);
            }
        } catch (IOException e) {
            interrupted(e);
        }
    }

    /** Takes note of what is through on all sockets. */
    private void settle() {
        while (streams.isNextThrough(frames.parsed()) && isIntact(requests.complete() + 1)) {
            requests.completeNext();
        }
    }

    /** Whether a message is as it was sent; fails the comm if not. */
    private boolean isIntact(long message) {
        if (checksum == null) {
            return true;
        }
        SocketMessages messages = requests.messages;
        int place = SocketMessages.place(message);
        int sum = checksum.of(messages.memories[place], messages.offsets[place], messages.sizes[place]);
        if (sum == messages.sums[place]) {
            return true;
        }
        requests.fail(ProxyResult.REMOTE_ERROR, "message " + message + " of " + messages.sizes[place] + " bytes from "
                + session.peer() + " to rank " + factory.settings().rank() + " was corrupted on its way: its CRC32C is "
                + Integer.toHexString(sum) + ", and was sent as " + Integer.toHexString(messages.sums[place]));
        return false;
    }

    private void acknowledge() throws IOException {
        if (controlReturn.isDue()) {
            return;
        }
        try {
            control.write(ack.clear().putLong(requests.complete()).flip());
            acknowledged = requests.complete();
            if (ack.hasRemaining()) {
                throw new IOException("it takes no acknowledgement");
            }
        } catch (IOException e) {
            interrupted(e);
        }
    }

    /** Whether a socket that was dialled again waits to be taken. Any thread. */
    private boolean isOffered() {
        boolean isOffered = false;
        for (SocketReturn repair : returns) {
            isOffered |= repair.isOffered();
        }
        return isOffered;
    }

    private boolean isUnderRepair() {
        return controlReturn != null && controlReturn.isDue();
    }

    /** The control socket broke: the sender dials it again, or the comm fails. */
    private void interrupted(IOException why) throws IOException {
        if (controlReturn == null) {
            throw why;
        }
        // What was sent before the socket broke, and did not get here, comes again.
        controlReturn.begin(control, why);
    }

    private boolean isRestored() throws IOException {
        frames.tell(cursor);
        if (!controlReturn.advance(control, cursor, requests.complete())) {
            return false;
        }
        frames.resume();
        acknowledged = requests.complete();
        return true;
    }

    /** Tells the peer that the end is meant, where it would dial again. */
    private void sayGoodbye() {
        if (controlReturn == null || requests.isFailed() || controlReturn.isDue()) {
            return;
        }
        try {
            control.write(ack.clear().putLong(requests.complete()).putLong(SocketFrame.GOODBYE_ACK).flip());
        } catch (IOException e) {
            SocketChannels.LOG.debug("{} was not told of the end: {}", session.peer(), e.toString());
        }
    }
}
