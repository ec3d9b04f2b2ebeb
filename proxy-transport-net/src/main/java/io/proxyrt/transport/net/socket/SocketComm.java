/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;

/** What the network itself asks of a comm, besides its owner. */
interface SocketComm {
    /**
     * Has the selector wake for what the comm waits for now: nothing if no request is outstanding. Returns how long
     * that may take, in nanoseconds: 0 if something can move.
     */
    long awaitOn(Selector selector) throws ClosedChannelException;

    /** Looks after the sockets, unless the owner uses the comm. Keeper's thread. */
    void tend();
}
