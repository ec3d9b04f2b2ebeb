/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.platform.Closing;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.util.ArrayList;
import java.util.List;

/**
 * A comm and the connections that use it: one that has it for itself, or all connections of a pair of proxies on a
 * channel, where the network groups receives. It comes to be with the first attempt to connect that succeeds, whosever
 * that is, and goes with its last user. Service thread.
 *
 * <p>One sender at a time dials, with the handle of its own receiver; when it fails or leaves, the next that asks takes
 * over. Each receiver accepts on its own handle, for the sender might dial any; all of them share what one gets. So
 * no receiver waits for a connection that gave up.
 */
abstract sealed class CommLink {
    private final MrCache ownMemory = new MrCache();
    private final MrCache memory;
    private final Runnable onUnused;
    private final List<AutoCloseable> leftBehind = new ArrayList<>();
    private int users;

    /** Null for memory: the link registers for itself. */
    private CommLink(MrCache deviceMemory, Runnable onUnused) {
        this.memory = deviceMemory == null ? ownMemory : deviceMemory;
        this.onUnused = onUnused;
    }

    /** Null while there is none. */
    abstract NetComm comm();

    /** What is registered with the comm. */
    final MrCache memory() {
        return memory;
    }

    final void join() {
        users++;
    }

    /**
     * A user leaves; the last one ends the comm.
     *
     * @param rest    memory of the user's; freed at once, unless requests that refer to it are left behind: then with
     *                the comm
     * @param isQuiet whether none is
     */
    final void leave(AutoCloseable rest, boolean isQuiet) {
        Closing closing = new Closing();
        if (--users == 0) {
            onUnused.run();
            closing.add(ownMemory).add(comm());
            leftBehind.forEach(closing::add);
            closing.add(rest);
        } else if (isQuiet) {
            closing.add(rest);
        } else {
            leftBehind.add(rest);
        }
        closing.end();
    }

    /** The sending end. */
    static final class Send extends CommLink {
        /** Tells the receiver which of its connections share this comm; 0 if it is of one connection. */
        private final long id;
        private NetResources dialer;
        private NetSendComm comm;

        Send(long id, MrCache deviceMemory, Runnable onUnused) {
            super(deviceMemory, onUnused);
            this.id = id;
        }

        long id() {
            return id;
        }

        @Override
        NetSendComm comm() {
            return comm;
        }

        /** Returns whether this connection is the one that dials. */
        boolean mayDial(NetResources connection) {
            if (dialer == null) {
                dialer = connection;
            }
            return dialer == connection;
        }

        void connected(NetSendComm comm) {
            this.comm = comm;
        }

        /** The connection dials no more: another one may. */
        void hangUp(NetResources connection) {
            if (dialer == connection) {
                dialer = null;
            }
        }
    }

    /** The receiving end. */
    static final class Recv extends CommLink {
        private NetRecvComm comm;

        Recv(MrCache deviceMemory, Runnable onUnused) {
            super(deviceMemory, onUnused);
        }

        @Override
        NetRecvComm comm() {
            return comm;
        }

        void accepted(NetRecvComm comm) {
            this.comm = comm;
        }
    }
}
