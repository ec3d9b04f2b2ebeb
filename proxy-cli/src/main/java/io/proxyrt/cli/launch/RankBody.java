/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.collectives.Communicator;

/** What a rank does once it has joined. */
public interface RankBody {
    /**
     * Works. Blocks until it is done; when the thread is interrupted, it ends soon, by an exception.
     *
     * @param comm of the rank, closed by the caller
     * @return how it went
     */
    RankOutcome run(Communicator comm);

    /**
     * There will be no result.
     *
     * @param reason for people
     */
    default void failed(String reason) {
    }
}
