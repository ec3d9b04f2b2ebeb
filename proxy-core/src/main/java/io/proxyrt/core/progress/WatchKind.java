/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

/** What the runtime has to notice of the peers of a transport's connections. */
public enum WatchKind {
    /** That a peer has died, left or is stopped: memory that is shared tells nothing of that. */
    LOSS,
    /** That a peer is stopped: connections fail by themselves when it is gone. */
    SILENCE
}
