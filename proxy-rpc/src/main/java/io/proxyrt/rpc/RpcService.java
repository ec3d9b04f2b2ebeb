/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.spi.RpcHandler;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** What the sessions of one endpoint share. Confined to the loop, but for {@link #peers()}. */
final class RpcService {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final RpcSettings settings;
    private final RpcHandler handler;
    private final Refusals refusals;
    private final AtomicInteger peers = new AtomicInteger();
    private Throwable bug;

    RpcService(RpcSettings settings, RpcHandler handler) {
        this.settings = settings;
        this.handler = handler;
        this.refusals = new Refusals(settings.rank());
    }

    RpcSettings settings() {
        return settings;
    }

    Refusals refusals() {
        return refusals;
    }

    /** Accepted sessions. Any thread. */
    int peers() {
        return peers.get();
    }

    void onAccepted() {
        peers.incrementAndGet();
    }

    void onDisconnect(Session session) {
        peers.decrementAndGet();
        try {
            handler.onDisconnect(session);
        } catch (RuntimeException | Error e) {
            keep(e);
        }
    }

    /** Hands a call over. Whatever the handler throws, its caller gets an answer. */
    void onCall(SessionCall call) {
        try {
            handler.onCall(call);
        } catch (ProxyException e) {
            call.replyUnlessAnswered(e.result(), e.getMessage(), NOTHING);
        } catch (RuntimeException | Error e) {
            call.replyUnlessAnswered(ProxyResult.INTERNAL_ERROR, call + " failed: " + e, NOTHING);
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
