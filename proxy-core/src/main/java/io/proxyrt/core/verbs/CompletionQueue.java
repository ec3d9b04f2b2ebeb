/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;

/** A completion queue: {@code ibv_cq}. One thread at a time. */
public interface CompletionQueue extends AutoCloseable {
    /**
     * Takes completions out of the queue. Does not block, and allocates nothing.
     *
     * @param completions gets them, {@link WorkCompletion#BYTES} each, from its beginning; native memory
     * @param most        how many fit
     * @return how many there were; negative if the queue failed, such as by running over
     */
    int poll(MemorySegment completions, int most);

    /**
     * Ends the queue. Idempotent.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if a queue pair uses it still; then it stays
     *                        open
     */
    @Override
    void close();
}
