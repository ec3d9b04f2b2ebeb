/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.auth.Refusals;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.auth.Unauthenticated;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A rank's place in the tree by which the root of a large job answers all-gathers: takes answers of the rank above, and
 * passes them on to those below, which dial this one. Above is the parent, below are the children, and a door is the
 * port at which a rank listens for them. The root sends what does not come by the tree, so no trouble here is more than
 * a delay; connections are as those with the root are, but for a key of their own. Confined to the bootstrap's thread.
 */
final class AnswerTree implements AutoCloseable {
    /** At least as many as there are ranks below. */
    static final int MAX_UNAUTHENTICATED = 64;
    /** The rest a selector reports again: this is the thread that hears the root, too. */
    static final int ACCEPTS_PER_PASS = 16;
    private static final int BACKLOG = 64;

    private final int rank;
    private final int nRanks;
    private final Session session;
    private final Poller poller;
    private final InetAddress here;
    private final Credential credential;
    private final Link.Sink answers;
    private final long patienceNs;
    private final Map<Integer, Below> below = new HashMap<>();
    private final List<End> ends = new ArrayList<>();
    private final Unauthenticated<End> unauthenticated = new Unauthenticated<>(MAX_UNAUTHENTICATED);
    private final Refusals refusals = new Refusals(BootstrapRoot.LOG, "closed a connection from");
    /** Null before there is one, and when all that were awaited have come, or their time is over. */
    private Poller.Listener door;
    private long shutNs;

    /**
     * A place that is connected with no other.
     *
     * @param here    where this rank can be reached
     * @param answers gets what the rank above passes on
     */
    AnswerTree(int rank, int nRanks, Session session, InetAddress here, Link.Sink answers) {
        this.rank = rank;
        this.nRanks = nRanks;
        this.session = session;
        this.poller = session.poller();
        this.here = here;
        this.credential = session.claim().credential().ofTree(session.secret());
        this.answers = answers;
        this.patienceNs = session.config().handshakeTimeout().toNanos();
    }

    /** A rank to pass on to; what comes before it does is kept for it. */
    private static final class Below {
        private final List<ByteBuffer> early = new ArrayList<>();
        private long earlyBytes;
        private End end;
    }

    /** This side of a connection with another rank, or with what says that it is one. */
    final class End {
        private final Link link;
        private final SocketAddress remote;
        private final boolean isUp;
        private final long sinceNs = poller.nanoTime();
        private Message.Hello hello;
        private Message.Challenge challenge;
        private boolean isTrusted;

        private End(Link link, SocketAddress remote, boolean isUp) {
            this.link = link;
            this.remote = remote;
            this.isUp = isUp;
            link.onReady(this::ready);
        }

        private void ready() {
            try {
                if (isUp && hello == null && link.finishConnect()) {
                    connected();
                }
                if (link.isReadable() && !link.read(this::receive)) {
                    drop(this, "end", "connection closed");
                }
            } catch (IOException e) {
                drop(this, "error", String.valueOf(e.getMessage()));
            } catch (ProxyException e) {
                drop(this, "protocol", "it sent " + e.getMessage());
            }
        }

        private void connected() {
            hello = session.claim().hello(Return.NONE, 0, 0);
            link.offer(MessageCodec.encode(hello));
        }

        private void receive(Message message, ByteBuffer frame) {
            if (isUp) {
                receiveFromAbove(message, frame);
            } else if (message instanceof Message.Hello said && hello == null) {
                hello = said;
                challenge = new Message.Challenge(Transcript.nonce());
                link.offer(MessageCodec.encode(challenge));
            } else if (message instanceof Message.Proof proof && hello != null && !isTrusted) {
                admit(this, proof);
            } else {
                throw MessageReader.malformed("a " + message.getClass().getSimpleName()
                        + ", which is not for a rank below to send now");
            }
        }

        private void receiveFromAbove(Message message, ByteBuffer frame) {
            switch (message) {
                case Message.Challenge asked when challenge == null -> {
                    challenge = asked;
                    link.offer(MessageCodec.encode(new Message.Proof(credential.rankProof(hello, challenge))));
                }
                case Message.Welcome welcome when challenge != null && !isTrusted -> trust(welcome);
                case Message.Gathered gathered when isTrusted -> answers.accept(gathered, frame);
                case Message.RoundDone done when isTrusted && done.kind() == RoundKind.ALL_GATHER ->
                        answers.accept(done, frame);
                default -> throw MessageReader.malformed("a " + message.getClass().getSimpleName()
                        + ", which is not for a rank above to send now");
            }
        }

        private void trust(Message.Welcome welcome) {
            final String refusal = credential.isRootProof(hello, challenge, welcome) ? credential.refusal(link)
                    : "a proof that is wrong";
            if (!refusal.isEmpty()) {
                throw MessageReader.malformed(refusal);
            }
            isTrusted = true;
            link.maxBodyBytes(session.maxBodyBytes());
        }
    }

    /**
     * Lets the ranks below in, soon.
     *
     * @param fan how many ranks are below one
     * @return where they are to dial; 0 if this rank cannot be reached
     */
    int open(int fan) {
        final long first = (rank + 1L) * fan;
        if (fan < 1 || fan > MAX_UNAUTHENTICATED || first >= nRanks || door != null || !below.isEmpty()) {
            throw MessageReader.malformed("a fan of " + fan + " below rank " + rank + " of " + nRanks);
        }
        try {
            door = poller.listen(new InetSocketAddress(here, 0), BACKLOG);
            door.onReady(this::accept);
            for (long child = first; child < Math.min(first + fan, nRanks); child++) {
                below.put((int) child, new Below());
            }
            shutNs = poller.nanoTime() + patienceNs;
            return door.address().getPort();
        } catch (IOException e) {
            BootstrapRoot.LOG.info("rank {} passes no answers on: {}", rank, e.getMessage());
            shut();
            return 0;
        }
    }

    /** Connects with the rank above. */
    void dial(InetSocketAddress above) {
        try {
            ends.add(new End(poller.dial(above, BootstrapDescriptor.MAX_ANSWER_BYTES), above, true));
        } catch (IOException e) {
            BootstrapRoot.LOG.info("rank {} cannot dial the rank above it at {}: {}", rank, PeerText.address(above),
                    e.toString());
        }
    }

    /** Passes the frame of an answer on to the ranks below. */
    void pass(ByteBuffer frame) {
        if (below.isEmpty()) {
            return;
        }
        final long most = session.config().maxQueuedBytes();
        below.values().removeIf(each -> {
            if (each.end != null) {
                each.end.link.offer(frame.duplicate());
                return false;
            }
            each.early.add(frame.duplicate());
            each.earlyBytes += frame.remaining();
            return each.earlyBytes > most;
        });
        for (final End end : List.copyOf(ends)) {
            if (end.link.queuedBytes() > most) {
                drop(end, "flood", "it does not read");
            }
        }
    }

    private void accept() {
        try {
            for (int i = 0; i < ACCEPTS_PER_PASS; i++) {
                final Link link = door == null ? null : door.accept(BootstrapDescriptor.MAX_UNAUTHENTICATED_BYTES);
                if (link == null) {
                    return;
                }
                greet(link);
            }
        } catch (IOException e) {
            BootstrapRoot.LOG.info("rank {} lets no rank in any more: {}", rank, e.getMessage());
            shut();
        }
    }

    private void greet(Link link) {
        final End end = new End(link, link.remoteAddress(), false);
        ends.add(end);
        final End oldest = unauthenticated.add(end, Unauthenticated.source(end.remote), end.sinceNs);
        if (oldest != null) {
            drop(oldest, "flood", unauthenticated.flood(end.sinceNs));
        }
    }

    private void admit(End end, Message.Proof proof) {
        final String refusal = refusal(end, proof);
        if (!refusal.isEmpty()) {
            drop(end, "refused", refusal);
            return;
        }
        final Below place = below.get(end.hello.rank());
        unauthenticated.remove(end);
        end.isTrusted = true;
        place.end = end;
        end.link.offer(MessageCodec.encode(credential.welcome(end.hello, end.challenge, Transcript.nonce())));
        place.early.forEach(end.link::offer);
        place.early.clear();
        if (below.values().stream().allMatch(each -> each.end != null)) {
            shut();
        }
    }

    private String refusal(End end, Message.Proof proof) {
        if (!credential.isRankProof(end.hello, end.challenge, proof)) {
            return "it is no rank of this job";
        }
        final Below place = below.get(end.hello.rank());
        return place == null || place.end != null ? "rank " + end.hello.rank() + " is not awaited here"
                : credential.refusal(end.link);
    }

    /** Sends what waits, and ends what has taken too long. */
    void advance() {
        final long nowNs = poller.nanoTime();
        for (final End end : List.copyOf(ends)) {
            if (!end.isTrusted && nowNs - end.sinceNs > patienceNs) {
                drop(end, "handshake", "it has not proven itself in time");
            } else {
                flush(end);
            }
        }
        if (door != null && shutNs - nowNs <= 0) {
            shut();
        }
    }

    /** How long there is nothing to {@linkplain #advance end}, unless something comes; not positive if there is now. */
    long remainingNs(long nowNs) {
        long leastNs = door == null ? Long.MAX_VALUE : shutNs - nowNs;
        for (final End end : ends) {
            if (!end.isTrusted) {
                leastNs = Math.min(leastNs, end.sinceNs + patienceNs - nowNs);
            }
        }
        return leastNs;
    }

    private void flush(End end) {
        try {
            end.link.flush();
        } catch (IOException e) {
            drop(end, "error", String.valueOf(e.getMessage()));
        }
    }

    /** The root sends what this end would have. */
    private void drop(End end, String category, String why) {
        final String who = PeerText.address(end.remote);
        ends.remove(end);
        if (unauthenticated.remove(end)) {
            refusals.addOnce(category, who + ", which is not a rank below rank " + rank, why);
        } else {
            BootstrapRoot.LOG.debug("rank {} is no longer connected with {}: {}", rank, who, why);
        }
        below.values().removeIf(each -> each.end == end);
        end.link.close();
    }

    /** Takes no more in: who has not come gets its answers from the root. */
    private void shut() {
        below.values().removeIf(each -> each.end == null);
        if (door == null) {
            return;
        }
        door.close();
        door = null;
    }

    @Override
    public void close() {
        shut();
        ends.forEach(end -> end.link.close());
        ends.clear();
    }
}
