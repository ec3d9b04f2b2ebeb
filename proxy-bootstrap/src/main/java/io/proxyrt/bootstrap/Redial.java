/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.bootstrap.RankHandshake.Imposter;
import io.proxyrt.core.ProxyException;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * A rank's way back to the root after its connection broke: dials and proves itself again and again, until the root
 * answers or the time is over. Used by the rank's thread; nothing here blocks.
 */
final class Redial implements AutoCloseable {
    private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(500);
    /** A packet that got lost is repeated after 1, 2, 4 s: rather begin anew than wait for the third. */
    private static final long ATTEMPT_NS = TimeUnit.SECONDS.toNanos(2);

    private final Session session;
    private final Return from;
    private final String cause;
    private final long endNs;
    private int attempt;
    private Link link;
    private RankHandshake handshake;
    private boolean isConnected;
    private long pauseNs = FIRST_PAUSE_NS;
    private long nextNs;
    private long attemptEndNs;

    /** For a conversation that continues at {@code from}, which also counts the attempts before this break. */
    Redial(Session session, Return from, String cause) {
        this.session = session;
        this.from = from;
        this.cause = cause;
        this.attempt = from.attempt();
        this.nextNs = session.poller().nanoTime();
        this.endNs = nextNs + TimeUnit.MILLISECONDS.toNanos(session.terms().resumeMillis());
    }

    /** How the connection broke. */
    String cause() {
        return cause;
    }

    boolean isOver() {
        return endNs - session.poller().nanoTime() <= 0;
    }

    /** Goes on. Returns whether the root has answered. */
    boolean advance() {
        final long nowNs = session.poller().nanoTime();
        try {
            if (link == null && nextNs - nowNs > 0) {
                return false;
            }
            if (link == null) {
                begin(nowNs);
            }
            if (isAnswered()) {
                return true;
            }
            if (attemptEndNs - nowNs <= 0) {
                throw new IOException("no answer");
            }
        } catch (IOException | ProxyException | Imposter e) {
            BootstrapRoot.LOG.debug("attempt {} of rank {} to come back failed: {}", attempt, session.rank(),
                    e.getMessage());
            close();
            nextNs = nowNs + pauseNs;
            pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
        }
        return false;
    }

    /** How long there is nothing to do, unless the selector has something. */
    long waitMillis() {
        final long nowNs = session.poller().nanoTime();
        final long untilNs = Math.min(endNs, link == null ? nextNs : attemptEndNs);
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(untilNs - nowNs));
    }

    private void begin(long nowNs) throws IOException {
        attempt++;
        attemptEndNs = nowNs + ATTEMPT_NS;
        isConnected = false;
        link = session.poller().dial(session.remote(), session.maxBodyBytes());
        handshake = session.handshake(link, new Return(from.session(), attempt, from.received()));
    }

    private boolean isAnswered() throws IOException {
        if (!isConnected) {
            if (!link.finishConnect()) {
                return false;
            }
            isConnected = true;
            handshake.begin();
        }
        final boolean isOpen = link.read(handshake::receive);
        link.flush();
        if (!isOpen && !handshake.isAnswered()) {
            throw new IOException("the root closed the connection");
        }
        return handshake.isAnswered();
    }

    /** The new connection, which is the caller's once the root has answered. */
    Link link() {
        return link;
    }

    /** What the root said on it. */
    Queue<Message> received() {
        return handshake.received();
    }

    int attempt() {
        return attempt;
    }

    @Override
    public void close() {
        if (link != null) {
            link.close();
            link = null;
        }
    }
}
