/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

/**
 * What came of one transport when one was chosen for a peer.
 *
 * @param name     of the transport
 * @param whyNot   why it cannot be had; empty if it can
 * @param isChosen whether it is the first that can
 * @param how      what it would do between the two ranks, for people; empty if it can only do one thing
 */
public record TransportVerdict(String name, String whyNot, boolean isChosen, String how) {
    /**
     * Of a transport that can only do one thing.
     *
     * @param name     of the transport
     * @param whyNot   why it cannot be had; empty if it can
     * @param isChosen whether it is the first that can
     */
    public TransportVerdict(String name, String whyNot, boolean isChosen) {
        this(name, whyNot, isChosen, "");
    }

    /**
     * Whether it was passed over for a reason.
     *
     * @return false if it was chosen, or comes after the one that was
     */
    public boolean isRefused() {
        return !whyNot.isEmpty();
    }
}
