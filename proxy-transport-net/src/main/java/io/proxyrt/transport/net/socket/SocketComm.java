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

    final SocketMessages messages;
    /** Carries headers, and what travels with them. */
    final SocketWire control;
    /** The data sockets, if there are any. */
    final SocketStream[] streams;
    /** Requests taken so far, and so the number of the last one. */
    long posted;
    /** Requests done so far: those up to this number. */
    long complete;
    private final boolean[] isOutstanding = new boolean[SocketMessages.MAX];
    private final String peer;
    private final SocketReadiness readiness;
    private final SocketHelpers helpers;
    private final long timeoutNs;
    /** The last stripe that all data sockets are through with, as of the last look. */
    private long through;
    private ProxyResult result = ProxyResult.SUCCESS;
    private String failure = "";
    private int fruitless;
    private long lastTotal = -1;
    private long lastMovedNs;

    SocketComm(SocketCommFactory factory, SocketChannel[] channels, SocketTerms terms, String peer) {
        this.peer = peer;
        this.readiness = factory.readiness();
        this.timeoutNs = factory.settings().timeoutNs();
        this.messages = new SocketMessages(terms);
        this.control = factory.engine().wire(channels[terms.sockets()]);
        this.streams = new SocketStream[terms.sockets()];
        for (int i = 0; i < streams.length; i++) {
            streams[i] = stream(i, new SocketWire(channels[i], null));
        }
        this.helpers = new SocketHelpers(factory, streams, messages);
        readiness.add(this);
    }

    /** Makes a data socket's stream, while the comm is made. */
    abstract SocketStream stream(int index, SocketWire wire);

    /** What the control socket waits for now: interest ops. */
    abstract int controlOps();

    /** Bytes that the control socket has moved so far. */
    abstract long controlTotal();

    /** Whether data of a message are under way, so that the peer has to do something. */
    abstract boolean isPeerInDebt();

    /** The last message that is through, as far as the control socket is concerned. */
    abstract long controlDone();

    /** Moves data until the request is complete or nothing can move. */
    abstract void progress(long request) throws IOException;

    /** Has the selector wake for what this comm waits for now, if anything; true if it need not wait. */
    final boolean awaitOn(Selector selector) throws ClosedChannelException {
        // Whoever sleeps between two calls makes few of them: the next one looks at the clock.
        fruitless = CLOCK_MASK;
        boolean isFine = !result.isError();
        control.awaitOn(selector, isFine ? controlOps() : 0);
        if (helpers.isEmpty()) {
            for (SocketStream stream : streams) {
                if (isFine) {
                    stream.awaitOn(selector);
                }
            }
            return false;
        }
        return isFine && (helpers.failure() != null
                || complete < controlDone() && isThrough(messages.stripes(complete + 1)));
    }

    @Override
    public NetMemory regMr(MemorySegment buffer) {
        if (!helpers.canReach(buffer)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory of a confined arena cannot be registered "
                    + "with a connection whose data helper threads move");
        }
        return SocketMemory.of(buffer, streams.length + 1);
    }

    @Override
    public final int test(long request, long[] sizes) {
        if (request <= 0 || request > posted || request <= posted - SocketMessages.MAX
                || !isOutstanding[SocketMessages.place(request)]) {
            return refuse("request " + request + " is not outstanding on the connection with " + peer);
        }
        if (request > complete) {
            drive(request);
            if (request > complete) {
                return -result.code();
            }
        }
        int place = SocketMessages.place(request);
        isOutstanding[place] = false;
        sizes[0] = messages.sizes[place];
        return 1;
    }

    @Override
    public final String failure() {
        return failure;
    }

    @Override
    public void close() {
        helpers.close();
        control.close();
        for (SocketStream stream : streams) {
            stream.wire.close();
        }
        readiness.remove(this);
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
        if (!registered.isFor(streams.length + 1)) {
            return refuse("the memory is registered with another connection than that with " + peer);
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

    final void drive(long request) {
        if (result.isError()) {
            return;
        }
        try {
            progress(request);
            if (complete < request) {
                lookForTrouble();
            }
        } catch (IOException e) {
            broke(e);
        } catch (IllegalStateException e) {
            fail(ProxyResult.INVALID_USAGE, "memory was freed while a message of the connection to " + peer
                    + " used it: " + e.getMessage());
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
        while (complete < done && isThrough(messages.stripes(complete + 1))) {
            complete++;
        }
    }

    final void fail(ProxyResult result, String detail) {
        this.result = result;
        this.failure = detail;
    }

    final ProxyResult result() {
        return result;
    }

    final String peer() {
        return peer;
    }

    final int refuse(String detail) {
        if (!result.isError()) {
            failure = detail;
        }
        return -ProxyResult.INVALID_ARGUMENT.code();
    }

    private boolean isThrough(long stripe) {
        if (stripe > through) {
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
        } else if (trouble instanceof RuntimeException e) {
            throw e;
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
        if (total != lastTotal || !isPeerInDebt()) {
            lastTotal = total;
            lastMovedNs = nowNs;
        } else if (nowNs - lastMovedNs > timeoutNs) {
            fail(ProxyResult.REMOTE_ERROR, "connection to " + peer + " stood still for " + timeoutNs / 1_000_000
                    + " ms in message " + (complete + 1) + ", see " + SocketOptions.TIMEOUT);
        }
    }

    private void broke(IOException e) {
        fail(ProxyResult.REMOTE_ERROR, "connection to " + peer + (e instanceof EOFException ? " was closed by the peer"
                : " broke: " + e.getMessage()) + " in message " + (complete + 1));
    }
}
