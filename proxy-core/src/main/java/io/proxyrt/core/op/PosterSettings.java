/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.FullPolicy;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;

/** What a poster does when its lane is full. */
record PosterSettings(FullPolicy policy, long timeoutNs) {
    static PosterSettings of(ProxyConfig config) {
        return new PosterSettings(config.get(CoreOptions.FULL_POLICY), config.get(CoreOptions.POST_TIMEOUT).toNanos());
    }
}
