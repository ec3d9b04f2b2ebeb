/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.core.config.ProxyConfig;

/** What the ranks of a command are brought up for. */
public interface RankTask {
    /**
     * What the user called.
     *
     * @return such as {@code proxyrt perf}
     */
    String command();

    /**
     * What the runtimes are configured with, but for their devices.
     *
     * @return the same at all times
     */
    ProxyConfig config();

    /**
     * Runs one rank. Blocks until it is done; when the thread is interrupted, it ends soon.
     *
     * @param id       where to join
     * @param rank     which
     * @param nRanks   of how many
     * @param onJoined called when all ranks have come
     * @return how it went; a failure has been told
     */
    RankOutcome run(UniqueId id, int rank, int nRanks, Runnable onJoined);
}
