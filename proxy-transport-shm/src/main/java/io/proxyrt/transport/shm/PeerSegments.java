/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Segments that the client half has mapped and the proxy half has not yet taken over. The client puts one in and tells
 * its proxy the ticket in Connect. What nobody fetches, because Connect failed on its way, is closed once it has waited
 * for too long, when another segment comes or goes. Any thread.
 */
final class PeerSegments implements AutoCloseable {
    private final long timeoutNs;
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();
    private volatile boolean isClosed;

    PeerSegments(Duration timeout) {
        this.timeoutNs = timeout.toNanos();
    }

    private record Waiting(PeerSegment segment, long sinceNs) {
    }

    /**
     * Returns its ticket: 64 random bits, for others may send Connect requests too. The segment stays the caller's if
     * this fails, because the runtime was closed meanwhile.
     */
    long put(PeerSegment segment) {
        expire();
        Waiting entry = new Waiting(segment, System.nanoTime());
        long ticket;
        do {
            ticket = random.nextLong();
        } while (ticket == 0 || waiting.putIfAbsent(ticket, entry) != null);
        // Put first, looked afterwards; close() does it the other way round: one of the two finds it.
        if (isClosed && waiting.remove(ticket, entry)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "SHM segment of a peer was mapped while the runtime "
                    + "was closed");
        }
        return ticket;
    }

    /** The caller owns it from now on. */
    PeerSegment take(long ticket) {
        Waiting entry = waiting.remove(ticket);
        if (entry == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "SHM Connect request with a ticket that was not given, was used, or has expired");
        }
        return entry.segment;
    }

    int size() {
        return waiting.size();
    }

    void expire() {
        long now = System.nanoTime();
        waiting.forEach((ticket, entry) -> {
            if (now - entry.sinceNs > timeoutNs && waiting.remove(ticket, entry)) {
                entry.segment.close();
            }
        });
    }

    @Override
    public void close() {
        isClosed = true;
        waiting.forEach((ticket, entry) -> {
            if (waiting.remove(ticket, entry)) {
                entry.segment.close();
            }
        });
    }
}
