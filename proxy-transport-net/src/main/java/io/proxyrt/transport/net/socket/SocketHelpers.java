/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** The helper threads of a comm: none, or as many as it may have, from its first large message on. */
final class SocketHelpers implements AutoCloseable {
    private static final Thread ANOTHER = Thread.ofVirtual().unstarted(() -> { });

    private final SocketCommFactory factory;
    private final SocketStream[] streams;
    private final SocketMessages messages;
    private final SocketHelper[] helpers;
    private int started;

    SocketHelpers(SocketCommFactory factory, SocketStream[] streams, SocketMessages messages) {
        this.factory = factory;
        this.streams = streams;
        this.messages = messages;
        this.helpers = new SocketHelper[Math.min(factory.threads(), streams.length)];
    }

    boolean isEmpty() {
        return helpers.length == 0;
    }

    boolean canReach(MemorySegment memory) {
        return isEmpty() || memory.isAccessibleBy(ANOTHER);
    }

    /** Has all of them look for a message that was published. */
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

    /** Has all of them look at their sockets. Any thread, for helpers that were started before. */
    void nudge() {
        for (SocketHelper helper : helpers) {
            if (helper != null) {
                helper.nudge();
            }
        }
    }

    /** Why one of them gave up; null as long as none has. */
    Exception failure() {
        for (int i = 0; i < started; i++) {
            Exception failure = helpers[i].failure();
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    @Override
    public void close() {
        for (int i = 0; i < started; i++) {
            helpers[i].stop();
        }
        for (int i = 0; i < started; i++) {
            helpers[i].close();
        }
    }

    /** Sockets dealt to the helpers in turn, so that chunks of one message go to all threads. */
    private SocketStream[] share(int helper) {
        SocketStream[] share = new SocketStream[(streams.length - helper + helpers.length - 1) / helpers.length];
        for (int i = 0; i < share.length; i++) {
            share[i] = streams[helper + i * helpers.length];
        }
        return share;
    }
}
