/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import io.proxyrt.core.op.OpsPoster;

/** What a poster does when its lane is full. */
public enum FullPolicy {
    /** Waits for room, until the post timeout. */
    BLOCK,
    /** Throws at once. */
    FAIL,
    /** Asks {@link OpsPoster#onFull the caller's handler} again and again. */
    CALLBACK
}
