/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ProxyException;

/** A part of a kernel that goes on by itself, as a thread block of a GPU does. */
interface Block {
    /** Goes on as far as it can now. Returns greater than 0 if anything moved. */
    int doWork();

    boolean isDone();

    /** Why it can never go on; null if it may. */
    ProxyException whyHopeless();

    /** What it waits for; empty if it is done. Any thread. */
    String awaited();

    /** Has nothing left to do, and forgets the user's memory. */
    void retire();
}
