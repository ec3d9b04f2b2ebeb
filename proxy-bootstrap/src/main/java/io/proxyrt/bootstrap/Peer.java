/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.auth.Transcript;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One connection as the root sees it: unauthenticated until its hello was taken, then a rank. Confined to the root's
 * thread.
 */
final class Peer {
    private final long acceptedNs;
    private final Consumer<Peer> onQueued;
    private Message.Hello hello;
    private Message.Challenge challenge;
    private Link link;
    private SocketAddress remote;
    private int rank = BootstrapDescriptor.NO_RANK;
    private Origin origin;
    private Message.Accepted accepted;
    private Conversation conversation;
    private Peer identity = this;
    private int attempt;
    private long lastHeardNs;
    private boolean isQueued;
    private String breakage = "";
    private long awaitedUntilNs;
    private boolean isAwaited;

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

    /** The rank it is, or -1 while it is unauthenticated. */
    int rank() {
        return rank;
    }

    boolean isUnauthenticated() {
        return rank == BootstrapDescriptor.NO_RANK;
    }

    boolean isOpen() {
        return link.isOpen();
    }

    /** Whether it is connected, or may come back. */
    boolean isPresent() {
        return link.isOpen() || isAwaited;
    }

    /** Who this connection turned out to be: another one's, if that came back on it. */
    Peer identity() {
        return identity;
    }

    Origin origin() {
        return origin;
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
        challenge = new Message.Challenge(Transcript.nonce());
        answer(challenge);
    }

    /** From now on this connection is that rank, by these terms. */
    void becomes(Message.Hello proven, Message.Accepted answer) {
        rank = proven.rank();
        origin = proven.origin();
        accepted = answer;
        conversation = new Conversation(answer.terms().isResumable());
        link.maxBodyBytes(answer.maxFrameBytes());
        answer(answer);
    }

    /** Why it cannot go on over another connection; empty if it can. */
    String whyNotBack(Return back) {
        if (back.session() != accepted.session() || !accepted.terms().isResumable()) {
            return this + " has another session, or none that can be resumed";
        }
        if (!isPresent()) {
            return this + " was given up, or has left";
        }
        return back.attempt() > attempt ? "" : "attempt " + back.attempt() + " is not newer than " + attempt;
    }

    /** Goes on over the connection on which this rank came back. */
    void goOn(Peer other, Return back) {
        other.identity = this;
        attempt = back.attempt();
        isAwaited = false;
        link.close();
        link = other.link;
        remote = other.remote;
        lastHeardNs = other.lastHeardNs;
        link.maxBodyBytes(accepted.maxFrameBytes());
        answer(new Message.Resumed(conversation.received()));
        conversation.resume(link, back.received());
    }

    /** Its connection broke; it has some time to come back. */
    void await(String how, long nowNs) {
        link.close();
        breakage = how;
        isAwaited = true;
        awaitedUntilNs = nowNs + TimeUnit.MILLISECONDS.toNanos(accepted.terms().resumeMillis());
    }

    boolean isResumable() {
        return accepted.terms().isResumable();
    }

    /** Why it will not come back any more; empty while it is here, or may. */
    String whyGone(long nowNs) {
        if (!isAwaited) {
            return "";
        }
        if (awaitedUntilNs - nowNs <= 0) {
            return breakage + ", and it did not come back within " + Wording.millis(accepted.terms().resumeMillis());
        }
        return origin.isKnownDead() ? breakage + ", and its process has ended" : "";
    }

    /** Something came, at this time of the silence clock. */
    void heard(long awakeNs) {
        lastHeardNs = awakeNs;
    }

    /** A message of the rank's came. */
    void heard(Message message) {
        conversation.heard(message);
    }

    boolean isSilent(long awakeNs) {
        return link.isOpen() && awakeNs - lastHeardNs > TimeUnit.MILLISECONDS.toNanos(accepted.terms().silenceMillis());
    }

    /** How long it may be silent. */
    int silenceMillis() {
        return accepted.terms().silenceMillis();
    }

    /** The most that waits for it: to be sent, or to be acknowledged. */
    long waitingBytes() {
        return conversation == null ? link.queuedBytes() : Math.max(link.queuedBytes(), conversation.keptBytes());
    }

    void heartbeat() {
        if (link.isOpen()) {
            answer(conversation.heartbeat(link));
        }
    }

    /** Says how far this side is, if the rank keeps much that has come. */
    void report() {
        if (conversation != null && conversation.isReportDue(link)) {
            heartbeat();
        }
    }

    /** Queues a frame of this very connection. */
    void answer(Message message) {
        link.offer(MessageCodec.encode(message));
        queueFlush();
    }

    void send(Message message) {
        send(MessageCodec.encode(message));
    }

    /** Queues a frame of the conversation, which becomes this peer's own; nothing for one that is gone. */
    void send(ByteBuffer frame) {
        if (isPresent()) {
            conversation.offer(link, frame);
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

    /** Writes what the connection takes. */
    void flush() throws IOException {
        isQueued = false;
        if (link.isOpen()) {
            link.flush();
        }
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
        close();
    }

    /** Closes, for good. */
    void close() {
        isAwaited = false;
        link.close();
    }

    /** {@code rank 2 (pid 1234 at 127.0.0.1:5555)}, or the address while it is unauthenticated. */
    @Override
    public String toString() {
        final String address = PeerText.address(remote);
        return isUnauthenticated() ? address : "rank " + rank + " (pid " + origin.pid() + " at " + address + ")";
    }
}
