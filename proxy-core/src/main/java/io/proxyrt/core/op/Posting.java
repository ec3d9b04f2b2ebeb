/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/** The ops that one post has made visible: those of the lane that were not fetched before, up to a position. */
final class Posting {
    final int lane;
    long upTo;

    Posting(int lane) {
        this.lane = lane;
    }
}
