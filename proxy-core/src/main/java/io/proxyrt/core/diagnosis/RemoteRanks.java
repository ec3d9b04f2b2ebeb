/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.concurrent.CompletableFuture;

/** The way to ranks whose files are not seen from here. */
@FunctionalInterface
public interface RemoteRanks {
    /** There is none. */
    RemoteRanks NONE = rank -> CompletableFuture.failedFuture(new ProxyException(ProxyResult.INVALID_USAGE,
            "rank " + rank + " cannot be asked: its runtime is in no job of a bootstrap"));

    /**
     * Asks for what a rank's host sees of it, as {@link Diagnosis#tellOf} told it. Does not block.
     *
     * @param rank of the job
     * @return not to be trusted; completes exceptionally if no rank of that host can be asked or sees it, and not at
     *         all if none answers: a caller that does not wait any more cancels it
     */
    CompletableFuture<byte[]> ask(int rank);
}
