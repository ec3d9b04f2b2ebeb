/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.bootstrap;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * One connection as the root sees it: a stranger until its hello was taken, then a rank. Confined to the root's thread.
 */
final class Peer {
    private final Link link;
    private final SocketAddress remote;
    private final long acceptedNs;
    private final Consumer<Peer> onQueued;
    private Message.Hello hello;
    private Message.Challenge challenge;
    private int rank = BootstrapDescriptor.NO_RANK;
    private long pid;
    private long lastHeardNs;
    private boolean isQueued;

    Peer(Link link, SocketAddress remote, long acceptedNs, Consumer<Peer> onQueued) {
        this.link = link;
        this.remote = remote;
        this.acceptedNs = acceptedNs;
        this.onQueued = onQueued;
    }

    Link link() {
        return link;
    }

    SocketAddress remote() {
        return remote;
    }

    long acceptedNs() {
        return acceptedNs;
    }

    /** The rank it is, or -1 for a stranger. */
    int rank() {
        return rank;
    }

    boolean isStranger() {
        return rank == BootstrapDescriptor.NO_RANK;
    }

    boolean isOpen() {
        return link.isOpen();
    }

    /** What it said first; null before that. */
    Message.Hello hello() {
        return hello;
    }

    /** What it was asked. */
    Message.Challenge challenge() {
        return challenge;
    }

    /** Asks for a proof of who it says it is. */
    void challenge(Message.Hello said) {
        hello = said;
        challenge = new Message.Challenge(Credential.nonce());
        send(challenge);
    }

    /** From now on this connection is that rank. */
    void becomes(Message.Hello proven, int maxFrameBytes) {
        rank = proven.rank();
        pid = proven.pid();
        link.maxBodyBytes(maxFrameBytes);
    }

    /** Something came, at this time of the silence clock. */
    void heard(long awakeNs) {
        lastHeardNs = awakeNs;
    }

    boolean isSilent(long awakeNs, long limitNs) {
        return awakeNs - lastHeardNs > limitNs;
    }

    void send(Message message) {
        send(MessageCodec.encode(message));
    }

    /** Queues a frame, which becomes this peer's own; nothing for a closed peer. */
    void send(ByteBuffer frame) {
        if (link.isOpen()) {
            link.offer(frame);
            queueFlush();
        }
    }

    /** Asks for {@link #flush()}, once until that comes. */
    void queueFlush() {
        if (!isQueued) {
            isQueued = true;
            onQueued.accept(this);
        }
    }

    /** Writes what the connection takes; returns whether nothing is left. */
    boolean flush() throws IOException {
        isQueued = false;
        return link.flush();
    }

    /** Says a last word, if the connection still takes it, and closes. */
    void close(Message lastWord) {
        if (link.isOpen()) {
            link.offer(MessageCodec.encode(lastWord));
            try {
                link.flush();
            } catch (IOException e) {
                BootstrapRoot.LOG.debug("{} does not listen any more", this, e);
            }
        }
        link.close();
    }

    /** {@code rank 2 (pid 1234 at 127.0.0.1:5555)}, or the address of a stranger. */
    @Override
    public String toString() {
        final String address = Wording.address(remote);
        return isStranger() ? address : "rank " + rank + " (pid " + pid + " at " + address + ")";
    }
}
