/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

/**
 * How far a socket is: the number of the message, or on a data socket of the stripe, that it carries or will carry
 * next, and how many bytes of it are through. When a socket broke the sender takes over the receiver's.
 */
final class SocketCursor {
    long at = 1;
    long moved;

    void set(long at, long moved) {
        this.at = at;
        this.moved = moved;
    }

    /** Whether this is behind another place. */
    boolean isBefore(long at, long moved) {
        return this.at < at || this.at == at && this.moved < moved;
    }

    @Override
    public String toString() {
        return at + "+" + moved;
    }
}
