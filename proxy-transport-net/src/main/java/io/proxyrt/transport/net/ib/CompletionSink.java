/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import java.lang.foreign.MemorySegment;

/** Whom completions of a {@link Route} are brought to. The thread that looks, maybe in a call of another comm. */
interface CompletionSink {
    /**
     * Takes note of a completion.
     *
     * @param completions as {@link io.proxyrt.core.verbs.WorkCompletion} has it; read before this returns
     * @param at          its offset there
     */
    void complete(MemorySegment completions, long at);

    /** No completion comes any more, for the queue failed. */
    void queueFailed(String why);
}
