/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.op.ProxyOpEncoder;

/** Takes the ops of launches. */
sealed interface OpSink permits LanePoster, DeferredOps {
    /** One more op, to be filled until the next call. */
    ProxyOpEncoder append(long opCount);

    /** What was appended is complete. */
    void post();

    /** How many ops can be appended without waiting. */
    int room();
}
