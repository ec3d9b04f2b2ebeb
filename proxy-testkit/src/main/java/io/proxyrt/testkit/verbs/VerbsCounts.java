/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

/**
 * What a host has asked its devices for. Each post and each poll is one call into the library.
 *
 * @param sendPosts     calls that posted sends
 * @param sends         sends that they posted
 * @param signaledSends of those, the ones that complete also if they succeed
 * @param inlineSends   of those, the ones that carry their data
 * @param inlineBytes   which are so many
 * @param receivePosts  calls that posted receives
 * @param receives      receives that they posted
 * @param polls         calls that asked for completions
 * @param completions   completions that they got
 */
public record VerbsCounts(long sendPosts, long sends, long signaledSends, long inlineSends, long inlineBytes,
        long receivePosts, long receives, long polls, long completions) {
    /**
     * What was asked for meanwhile.
     *
     * @param before what had been asked for then
     * @return the difference
     */
    public VerbsCounts since(VerbsCounts before) {
        return new VerbsCounts(sendPosts - before.sendPosts, sends - before.sends, signaledSends - before.signaledSends,
                inlineSends - before.inlineSends, inlineBytes - before.inlineBytes,
                receivePosts - before.receivePosts, receives - before.receives, polls - before.polls,
                completions - before.completions);
    }

    /**
     * Calls into the library.
     *
     * @return of all three kinds
     */
    public long downcalls() {
        return sendPosts + receivePosts + polls;
    }
}
