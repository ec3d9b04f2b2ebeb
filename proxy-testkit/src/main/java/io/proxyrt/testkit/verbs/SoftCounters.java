/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import java.util.concurrent.atomic.AtomicLong;

/** Counts for {@link VerbsCounts}: under the fabric's lock, polls excepted. */
final class SoftCounters {
    final AtomicLong polls = new AtomicLong();
    long sendPosts;
    long sends;
    long signaledSends;
    long inlineSends;
    long inlineBytes;
    long receivePosts;
    long receives;
    long completions;

    VerbsCounts counts() {
        return new VerbsCounts(sendPosts, sends, signaledSends, inlineSends, inlineBytes, receivePosts, receives,
                polls.get(), completions);
    }
}
