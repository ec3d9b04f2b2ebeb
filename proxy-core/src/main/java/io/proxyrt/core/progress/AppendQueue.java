/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

/**
 * Remembers the last args appended to one queue of ops: what RCCL's {@code proxyAppendPtr} points to. A dedicated
 * connection has one of its own; connections that share buffers share one. Null exactly when nothing of the queue is
 * active. Confined to the progress thread.
 */
public final class AppendQueue {
    ProxyArgs tail;

    /** An empty queue. */
    public AppendQueue() {
    }
}
