/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.auth.Refusals;
import io.proxyrt.core.service.RpcHandler;
import org.slf4j.Logger;

/** What the sessions of one endpoint share. Confined to the loop. */
final class RpcService {
    private static final Logger LOGGER = Subsystem.PROXY.logger();

    private final RpcSettings settings;
    private final RpcHandler handler;
    private final Refusals refusals;
    private final Peers peers;
    private Throwable bug;

    RpcService(RpcSettings settings, RpcHandler handler) {
        this.settings = settings;
        this.handler = handler;
        this.refusals = new Refusals(LOGGER, "rank " + settings.rank() + " closes a connection:");
        this.peers = new Peers(settings.limits());
    }

    RpcSettings settings() {
        return settings;
    }

    Refusals refusals() {
        return refusals;
    }

    /** Who is connected. Loop only, but for its count. */
    Peers peers() {
        return peers;
    }

    /**
     * A peer has proven itself.
     *
     * @return what it shares with its other sessions
     */
    Peers.Account onAccepted(Session session, PeerId peer) {
        peers.unauthenticated().remove(session);
        Peers.Account account = peers.add(peer);
        if (account.sessions() > 1) {
            LOGGER.debug("rank {} accepted another session of {}", settings.rank(), session);
            return account;
        }
        LOGGER.info("rank {} accepted {}, client {}", settings.rank(), session, Long.toHexString(peer.clientId()));
        try {
            handler.onConnect(peer);
        } catch (RuntimeException | Error e) {
            keep(e);
        }
        return account;
    }

    /** An accepted session ended. */
    void onDisconnect(PeerId peer) {
        if (peers.remove(peer)) {
            try {
                handler.onDisconnect(peer);
            } catch (RuntimeException | Error e) {
                keep(e);
            }
        }
    }

    /** Hands a call over. Whatever the handler throws, its caller gets an answer. */
    void onCall(SessionCall call) {
        try {
            call.serve(handler);
        } catch (RuntimeException | Error e) {
            keep(e);
        }
    }

    /** Throws what escaped from the handler since the last call, so that it reaches the agent's runner. */
    void rethrowBug() {
        Throwable thrown = bug;
        bug = null;
        if (thrown instanceof Error error) {
            throw error;
        } else if (thrown != null) {
            throw (RuntimeException) thrown;
        }
    }

    private void keep(Throwable thrown) {
        if (bug == null) {
            bug = thrown;
        } else if (bug != thrown) {
            bug.addSuppressed(thrown);
        }
    }
}
