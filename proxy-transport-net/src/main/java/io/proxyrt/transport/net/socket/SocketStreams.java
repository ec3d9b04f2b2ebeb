/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;

/**
 * The data sockets of a comm, if there are any. The comm's thread drives them, or helper threads do, which are started
 * with the first large message.
 */
final class SocketStreams implements AutoCloseable {
    private static final Thread ANOTHER = Thread.ofVirtual().unstarted(() -> { });
    private static final long REPAIR_PARK_NS = 1_000_000;

    private final SocketCommFactory factory;
    private final SocketRequests requests;
    private final SocketMessages messages;
    private final SocketStream[] streams;
    private final boolean isResumable;
    private final SocketHelper[] helpers;
    private int started;
    /** The last stripe that all sockets are through with, as of the last look; a repair may set one back. */
    private long through;

    SocketStreams(SocketCommFactory factory, SocketSession session, SocketRequests requests, SocketStream[] streams) {
        this.factory = factory;
        this.requests = requests;
        this.messages = requests.messages;
        this.streams = streams;
        this.isResumable = session.terms().isResumable();
        this.helpers = new SocketHelper[Math.min(factory.threads(), streams.length)];
    }

    boolean isEmpty() {
        return streams.length == 0;
    }

    /** Whether helper threads drive the sockets. */
    boolean isHelped() {
        return helpers.length > 0;
    }

    /** Registers memory that the comm's messages may use. */
    SocketMemory register(MemorySegment buffer) {
        if (isHelped() && !buffer.isAccessibleBy(ANOTHER)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory of a confined arena cannot be registered "
                    + "with a connection whose data helper threads move");
        }
        return SocketMemory.of(buffer, messages, streams.length + 1);
    }

    /** Lets the sockets have a message. */
    void stripe(long message) throws IOException {
        messages.stripe(message);
        wake();
    }

    /** Has the helpers look for a message that was published. */
    void wake() throws IOException {
        while (started < helpers.length) {
            helpers[started] = new SocketHelper("proxy-socket-" + factory.settings().rank(), share(started), messages,
                    factory.readiness());
            started++;
        }
        for (SocketHelper helper : helpers) {
            helper.wake();
        }
    }

    /** Has the helpers look at their sockets. Any thread, for helpers that were started before. */
    void nudge() {
        for (SocketHelper helper : helpers) {
            if (helper != null) {
                helper.nudge();
            }
        }
    }

    /** One system call for each socket that the caller drives. Returns whether more would be worth it. */
    boolean drive() throws IOException {
        boolean isMoving = false;
        if (!isHelped()) {
            for (SocketStream stream : streams) {
                isMoving |= stream.drive();
            }
        }
        return isMoving;
    }

    /** Whether the next message to become complete is through, which it is on the control socket up to this one. */
    boolean isNextThrough(long controlDone) {
        return requests.complete() < controlDone && isThrough(messages.stripes(requests.complete() + 1));
    }

    /** Bytes that were moved so far. */
    long total() {
        long total = 0;
        for (SocketStream stream : streams) {
            total += stream.total();
        }
        return total;
    }

    /** Whether a socket that the caller drives broke and is not back. */
    boolean isUnderRepair() {
        boolean isUnderRepair = false;
        for (SocketStream stream : streams) {
            isUnderRepair |= !isHelped() && stream.isUnderRepair();
        }
        return isUnderRepair;
    }

    /** Has the selector wake for the sockets that the caller drives, if it waits for something. */
    void awaitOn(Selector selector, boolean isWaiting, SocketWaiter waiter) throws ClosedChannelException {
        for (SocketStream stream : streams) {
            if (!isHelped()) {
                stream.awaitOn(selector, isWaiting, waiter);
            }
        }
    }

    /**
     * How long the caller may sleep, in nanoseconds.
     *
     * @param canMove           whether it has something to do at once
     * @param isControlRepaired whether the control socket is to be repaired
     */
    long longestSleepNs(boolean canMove, boolean isControlRepaired) {
        if (canMove || failure() != null) {
            return 0;
        }
        return isControlRepaired || isUnderRepair() ? REPAIR_PARK_NS : Long.MAX_VALUE;
    }

    /** Throws what a helper gave up for. */
    void requireHelpers() throws IOException {
        Exception failure = failure();
        if (failure instanceof IOException e) {
            throw e;
        } else if (failure instanceof IllegalStateException e) {
            throw e;
        } else if (failure != null) {
            throw new IOException("a helper thread failed: " + failure, failure);
        }
    }

    @Override
    public void close() {
        for (int i = 0; i < started; i++) {
            helpers[i].stop();
        }
        for (int i = 0; i < started; i++) {
            helpers[i].close();
        }
        for (SocketStream stream : streams) {
            stream.close();
        }
    }

    private boolean isThrough(long stripe) {
        if (stripe > through || isResumable) {
            through = Long.MAX_VALUE;
            for (SocketStream stream : streams) {
                through = Math.min(through, stream.done());
            }
        }
        return stripe <= through;
    }

    /** Why a helper gave up; null as long as none has. */
    private Exception failure() {
        for (int i = 0; i < started; i++) {
            Exception failure = helpers[i].failure();
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    /** Every so many-th socket, so that chunks of one message go to all threads. */
    private SocketStream[] share(int helper) {
        SocketStream[] share = new SocketStream[(streams.length - helper + helpers.length - 1) / helpers.length];
        for (int i = 0; i < share.length; i++) {
            share[i] = streams[helper + i * helpers.length];
        }
        return share;
    }
}
