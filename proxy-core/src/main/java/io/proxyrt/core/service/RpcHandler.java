/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;

/** What the wire module hands requests to; implemented by core. Called by the service agent's thread only. */
public interface RpcHandler {
    /**
     * A complete, well-formed request arrived.
     *
     * @param call to be answered now or later
     */
    void onCall(RpcCall call);

    /**
     * A peer that had no session has one.
     *
     * @param peer as {@link RpcCall#peer()} will give it
     */
    void onConnect(PeerId peer);

    /**
     * The last session of a peer ended: by its own wish, by a dead socket or for a broken frame.
     *
     * @param peer as {@link RpcCall#peer()} gave it
     */
    void onDisconnect(PeerId peer);
}
