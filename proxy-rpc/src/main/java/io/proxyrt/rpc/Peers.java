/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.auth.Unauthenticated;
import java.util.HashMap;
import java.util.Map;

/**
 * Who is connected: connections that have yet to prove themselves, and the sessions of each peer. The two
 * are limited apart, so that unauthenticated ones cannot take the room of good peers. Confined to the loop, but for
 * {@link #count()}.
 */
final class Peers {
    private final RpcLimits limits;
    private final Unauthenticated<Session> unauthenticated;
    private final Map<PeerId, Account> accounts = new HashMap<>();
    private int sessionCount;
    private volatile int count;

    /** What the sessions of a peer share. */
    static final class Account {
        private int sessions;
        private long outstandingBytes;

        int sessions() {
            return sessions;
        }

        /** Requests that are not answered yet. */
        long outstandingBytes() {
            return outstandingBytes;
        }

        void add(long bytes) {
            outstandingBytes += bytes;
            assert outstandingBytes >= 0 : outstandingBytes;
        }
    }

    Peers(RpcLimits limits) {
        this.limits = limits;
        this.unauthenticated = new Unauthenticated<>(limits.maxUnauthenticated());
    }

    Unauthenticated<Session> unauthenticated() {
        return unauthenticated;
    }

    /** Why there is no room for another session of a peer; null if there is. */
    String fullFor(PeerId peer) {
        if (sessionCount >= limits.maxConnections()) {
            return "it has " + sessionCount + " connections already; see " + RpcOptions.MAX_CONNECTIONS;
        }
        Account account = accounts.get(peer);
        return account == null || account.sessions < limits.maxSessionsPerPeer() ? null
                : peer + " has " + account.sessions + " sessions already; see " + RpcOptions.MAX_SESSIONS_PER_PEER;
    }

    /** Adds a session of the peer. */
    Account add(PeerId peer) {
        sessionCount++;
        Account account = accounts.computeIfAbsent(peer, id -> new Account());
        account.sessions++;
        count = accounts.size();
        return account;
    }

    /** Whether this was the peer's last session. */
    boolean remove(PeerId peer) {
        sessionCount--;
        boolean wasLast = --accounts.get(peer).sessions == 0;
        if (wasLast) {
            accounts.remove(peer);
            count = accounts.size();
        }
        return wasLast;
    }

    /** Peers with a session. Any thread. */
    int count() {
        return count;
    }
}
