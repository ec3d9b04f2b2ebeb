/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.SocketOptions;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * One end of a connection: its requests and its failure. Requests are numbered as their messages, so a request is
 * refused while the one 32 before it has not been tested to its end.
 *
 * <pre>
 *  tested  ≤  complete  ≤  posted  ≤  tested + 32     (when tested in order)
 * </pre>
 */
abstract class SocketComm implements NetComm {
    /** How many fruitless calls pass between two looks at the clock, less one. */
    private static final int CLOCK_MASK = 15;
    private static final long REPAIR_PARK_NS = 1_000_000;

    final SocketSession session;
    final SocketMessages messages;
    /** Carries headers, and what travels with them. */
    final SocketWire control;
    /** The control socket's; null on connections that are not resumed. */
    final SocketRepair repair;
    /** The data sockets, if there are any. */
    final SocketStream[] streams;
    /** Requests taken so far, and so the number of the last one. */
    long posted;
    /** Requests done so far: those up to this number. */
    long complete;
    private final boolean[] isOutstanding = new boolean[SocketMessages.MAX];
    private final SocketClaim claim;
    private final SocketCommFactory factory;
    private final SocketHelpers helpers;
    private final long timeoutNs;
    /** The last stripe that all data sockets are through with, as of the last look; a repair may set one back. */
    private long through;
    private ProxyResult result = ProxyResult.SUCCESS;
    private String failure = "";
    /** Nothing could move a moment ago: the next test need not try. */
    private boolean isUnready;
    private int fruitless;
    private long lastTotal = -1;
    private long lastMovedNs;
    private boolean isClosed;

    /** Over connected sockets: data sockets first, the control socket last. */
    SocketComm(SocketCommFactory factory, SocketChannel[] channels, SocketSession session) {
        int sockets = session.terms().sockets();
        this.session = session;
        this.factory = factory;
        this.timeoutNs = factory.settings().safety().timeoutNs();
        this.claim = session.terms().isResumable() ? new SocketClaim() : null;
        this.messages = new SocketMessages(session.terms());
        this.control = factory.engine().wire(channels[sockets]);
        this.repair = claim == null ? null : repair(sockets, factory);
        this.streams = new SocketStream[sockets];
        for (int i = 0; i < sockets; i++) {
            SocketChannel unpaced = factory.engine().unpaced(channels[i]);
            streams[i] = stream(i, new SocketWire(unpaced, null), factory);
        }
        this.helpers = new SocketHelpers(factory, streams, messages);
    }

    /** Makes a socket's repair, while the comm is made. */
    abstract SocketRepair repair(int index, SocketCommFactory factory);

    /** Makes a data socket's stream, while the comm is made. */
    abstract SocketStream stream(int index, SocketWire wire, SocketCommFactory factory);

    /** What the control socket waits for now: interest ops. */
    abstract int controlOps();

    /** Bytes that the control socket has moved so far. */
    abstract long controlTotal();

    /** Whether bytes that were read already are enough to go on with. */
    abstract boolean hasBytes();

    /** Whether data of a message are under way, so that the peer has to do something. */
    abstract boolean isPeerInDebt();

    /** The last message that is through, as far as the control socket is concerned. */
    abstract long controlDone();

    /** Whether the next message to become complete is as it was sent; fails the comm if not. */
    abstract boolean isIntact(long message);

    /** Moves data until the request is complete or nothing can move. Asked by test, or not yet. */
    abstract void progress(long request, boolean isAsked) throws IOException;

    /** Whether a socket that was dialled again waits to be taken. Any thread. */
    abstract boolean isOffered();

    /** Looks after the sockets while the owner makes no call. */
    abstract void attend() throws IOException;

    /** Goes on with a control socket that broke. Returns whether it is up again. */
    abstract boolean isRestored() throws IOException;

    /** Tells the peer that the end is meant. */
    abstract void sayGoodbye() throws IOException;

    /** A last look at what a broken control socket may have brought. */
    abstract void readLeftovers();

    /** As {@link #awaitOn}, for a thread that sleeps. It makes few calls: the next one looks at the clock. */
    final long sleepOn(Selector selector) throws ClosedChannelException {
        fruitless = CLOCK_MASK;
        return awaitOn(selector);
    }

    /**
     * Has the selector wake for what this comm waits for now: nothing if no request is outstanding, for then no
     * call would look. Returns how long that may take: 0 if it can move.
     */
    private long awaitOn(Selector selector) throws ClosedChannelException {
        look();
        try {
            boolean isWaiting = !result.isError() && complete < posted;
            control.awaitOn(selector, isWaiting ? controlOps() : 0, this);
            for (SocketStream stream : streams) {
                if (helpers.isEmpty()) {
                    stream.awaitOn(selector, isWaiting, this);
                }
            }
            return isWaiting ? longestWaitNs() : Long.MAX_VALUE;
        } finally {
            leave();
        }
    }

    /** Keeper's thread: looks after the sockets, unless the comm is in use. */
    final void tend() {
        if (!claim.takeUnused(isOffered())) {
            return;
        }
        try {
            if (!result.isError() && !isClosed) {
                attend();
            }
        } catch (IOException e) {
            broke(e);
        } catch (IllegalStateException e) {
            wasFreed(e);
        } finally {
            leave();
        }
    }

    /** Whether a test would try to move something, by this thread, whose comm it is, alone. */
    final boolean isWaiting() {
        return complete < posted && claim == null && helpers.isEmpty() && !result.isError();
    }

    /** Takes it that nothing can move, unless the selector says that it is {@link #ready}. */
    final void expectNothing(Selector selector) throws ClosedChannelException {
        if (isWaiting()) {
            isUnready = awaitOn(selector) > 0;
        }
    }

    final void ready() {
        isUnready = false;
    }

    @Override
    public NetMemory regMr(MemorySegment buffer) {
        if (!helpers.canReach(buffer)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory of a confined arena cannot be registered "
                    + "with a connection whose data helper threads move");
        }
        return SocketMemory.of(buffer, this, streams.length + 1);
    }

    @Override
    public final int test(long request, long[] sizes) {
        enter();
        try {
            return tested(request, sizes);
        } finally {
            leave();
        }
    }

    @Override
    public final String failure() {
        return failure;
    }

    @Override
    public void close() {
        // Before the claim is taken: who parks has the lock of readiness, and takes the claim.
        factory.leave(this);
        enter();
        try {
            if (!isClosed) {
                isClosed = true;
                shut();
            }
        } finally {
            leave();
        }
    }

    /** Begins a call. If the keeper has the comm, waits for it: a few system calls at most. */
    final void enter() {
        if (claim != null) {
            claim.take();
        }
    }

    /** Begins a call that does nothing for the sockets, so that the keeper goes on looking after them. */
    private void look() {
        if (claim != null) {
            claim.takeForALook();
        }
    }

    final void leave() {
        if (claim != null) {
            claim.give();
        }
    }

    /** Takes a request; returns 0 if there is no place for it, or a negated error. */
    final long post(NetMemory memory, long offset, long bytes, int tag) {
        if (result.isError()) {
            return -result.code();
        }
        if (!(memory instanceof SocketMemory registered) || !registered.isUsable()) {
            return refuse("memory is not registered with this network, or no longer, or was freed");
        }
        if ((offset | bytes) < 0 || offset > registered.segment().byteSize() - bytes) {
            return refuse("bytes " + offset + " to " + offset + " + " + bytes + " are not within the "
                    + registered.segment().byteSize() + " registered");
        }
        if (!registered.isFor(this)) {
            return refuse("the memory is registered with another connection than that with " + session.peer());
        }
        int place = SocketMessages.place(posted + 1);
        if (isOutstanding[place]) {
            return 0;
        }
        isOutstanding[place] = true;
        messages.memories[place] = registered;
        messages.offsets[place] = offset;
        messages.sizes[place] = bytes;
        messages.tags[place] = tag;
        return ++posted;
    }

    final void drive(long request, boolean isAsked) {
        if (result.isError()) {
            return;
        }
        try {
            if (isUnready) {
                isUnready = false;
            } else {
                progress(request, isAsked);
            }
            if (complete < request) {
                lookForTrouble();
            }
        } catch (IOException e) {
            broke(e);
        } catch (IllegalStateException e) {
            wasFreed(e);
        }
    }

    /** Lets the data sockets have a message. */
    final void stripe(long message) throws IOException {
        messages.stripe(message);
        helpers.wake();
    }

    /** One system call for each data socket that the caller drives. Returns whether more would be worth it. */
    final boolean driveStreams() throws IOException {
        boolean isMoving = false;
        if (helpers.isEmpty()) {
            for (SocketStream stream : streams) {
                isMoving |= stream.drive();
            }
        }
        return isMoving;
    }

    /** Takes note of what is through on all sockets. */
    final void settle() {
        long done = controlDone();
        while (complete < done && isThrough(messages.stripes(complete + 1)) && isIntact(complete + 1)) {
            complete++;
        }
    }

    /** Whether the control socket can be used: it is up, or up again. */
    final boolean isUp() throws IOException {
        return repair == null || !repair.isDue() || isRestored();
    }

    /** The control socket broke: it is repaired, or the comm fails. */
    final void interrupted(IOException why) throws IOException {
        if (repair == null) {
            throw why;
        }
        readLeftovers();
        repair.begin(control, why);
    }

    /** Has everybody look at a socket that was offered by the keeper. */
    final void nudge() {
        helpers.nudge();
        factory.readiness().wake();
    }

    final void fail(ProxyResult result, String detail) {
        this.result = result;
        this.failure = detail;
    }

    final void closedByPeer() {
        fail(ProxyResult.REMOTE_ERROR, "connection to " + session.peer() + " was closed by the peer in message "
                + (complete + 1));
    }

    final SocketHelpers helpers() {
        return helpers;
    }

    final ProxyResult result() {
        return result;
    }

    final int refuse(String detail) {
        if (!result.isError()) {
            failure = detail;
        }
        return -ProxyResult.INVALID_ARGUMENT.code();
    }

    private int tested(long request, long[] sizes) {
        if (request <= 0 || request > posted || request <= posted - SocketMessages.MAX
                || !isOutstanding[SocketMessages.place(request)]) {
            return refuse("request " + request + " is not outstanding on the connection with " + session.peer());
        }
        if (request > complete) {
            drive(request, true);
            if (request > complete) {
                return -result.code();
            }
        }
        int place = SocketMessages.place(request);
        isOutstanding[place] = false;
        sizes[0] = messages.sizes[place];
        return 1;
    }

    private long longestWaitNs() {
        boolean isThrough = complete < controlDone() && isThrough(messages.stripes(complete + 1));
        if (isThrough || hasBytes() || helpers.failure() != null) {
            return 0;
        }
        return isUnderRepair() ? REPAIR_PARK_NS : Long.MAX_VALUE;
    }

    /** Whether a socket that this thread drives broke and is not back. */
    private boolean isUnderRepair() {
        boolean isUnderRepair = repair != null && repair.isDue();
        for (SocketStream stream : streams) {
            isUnderRepair |= helpers.isEmpty() && stream.isUnderRepair();
        }
        return isUnderRepair;
    }

    private boolean isThrough(long stripe) {
        if (stripe > through || repair != null) {
            through = Long.MAX_VALUE;
            for (SocketStream stream : streams) {
                through = Math.min(through, stream.done());
            }
        }
        return stripe <= through;
    }

    private void lookForTrouble() throws IOException {
        Exception trouble = helpers.failure();
        if (trouble instanceof IOException e) {
            throw e;
        } else if (trouble instanceof IllegalStateException e) {
            throw e;
        } else if (trouble != null) {
            throw new IOException("a helper thread failed: " + trouble, trouble);
        }
        if (timeoutNs > 0 && (++fruitless & CLOCK_MASK) == 0) {
            lookAtClock();
        }
    }

    private void lookAtClock() {
        long nowNs = System.nanoTime();
        long total = controlTotal();
        for (SocketStream stream : streams) {
            total += stream.total();
        }
        // A repair has a budget of its own.
        if (total != lastTotal || !isPeerInDebt() || isUnderRepair()) {
            lastTotal = total;
            lastMovedNs = nowNs;
        } else if (nowNs - lastMovedNs > timeoutNs) {
            fail(ProxyResult.REMOTE_ERROR, "connection to " + session.peer() + " stood still for "
                    + timeoutNs / 1_000_000 + " ms in message " + (complete + 1) + ", see " + SocketOptions.TIMEOUT);
        }
    }

    private void broke(IOException e) {
        if (e instanceof EOFException) {
            closedByPeer();
        } else {
            fail(ProxyResult.REMOTE_ERROR, "connection to " + session.peer() + " broke in message " + (complete + 1)
                    + ": " + e.getMessage());
        }
    }

    private void wasFreed(IllegalStateException e) {
        fail(ProxyResult.INVALID_USAGE, "memory was freed while a message of the connection to " + session.peer()
                + " used it: " + e.getMessage());
    }

    private void shut() {
        if (repair != null && !result.isError()) {
            try {
                sayGoodbye();
            } catch (IOException e) {
                SocketChannels.LOG.debug("{} was not told of the end: {}", session.peer(), e.toString());
            }
        }
        if (!result.isError()) {
            fail(ProxyResult.INVALID_USAGE, "connection to " + session.peer() + " was closed here");
        }
        helpers.close();
        control.close();
        for (SocketStream stream : streams) {
            stream.close();
        }
        if (repair != null) {
            repair.close();
        }
        factory.readiness().forgetClosed();
    }
}
