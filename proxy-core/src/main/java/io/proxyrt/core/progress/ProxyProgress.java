/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

/** What the progress thread calls, pass after pass, until an op is done. Allocates nothing, blocks nowhere. */
@FunctionalInterface
public interface ProxyProgress {
    /**
     * Moves an op's subs as far as they go now: at most one action per sub. Flips the state from READY to PROGRESS on
     * the first call and to NONE when all subs are done.
     *
     * @param args one group of ops; confined to the calling thread
     * @return greater than 0 if anything moved, 0 if not, a negated {@link io.proxyrt.core.ProxyResult} code on
     *         failure, with the reason left by {@link ProxyArgs#fail}
     */
    int advance(ProxyArgs args);

    /**
     * Whether an op that has started waits for something that only its peer can do, and that is not done. Asked when
     * the peer of a connection is gone, and the {@linkplain ProxyTransport#watch() watch} has noticed.
     *
     * @param args the op's group
     * @param sub  the op
     * @return true if it will wait for ever
     */
    default boolean awaitsPeer(ProxyArgs args, ProxySubArgs sub) {
        return false;
    }
}
