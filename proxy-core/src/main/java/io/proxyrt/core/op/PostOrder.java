/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/**
 * The seam behind which pools of the kinds MPSC and LOCKED lie: one order of posts across all posters, which a pool of
 * lanes does without. There a poster and the consumer have no order, and look at the lane's own words only.
 */
sealed interface PostOrder permits MpscOrder, LockedOps {
    /** The posting end for a lane that was just claimed. */
    Poster poster(OpsLane lane);

    /** The consumer's end, one for all lanes. */
    Fetcher fetcher(OpsLane[] lanes);

    /** What wakes the consumer. */
    Doorbell doorbell();

    /** How an {@link OpsPoster} posts. Its thread. */
    sealed interface Poster permits MpscPoster, LockedPoster {
        /** Where the op at a position goes. */
        long slot(long position);

        /** Up to which position there are free slots now. */
        long limit(long position);

        /** Makes the ops of these positions visible, and wakes the consumer if it sleeps. */
        void publish(long from, long upTo);

        /** Gives back what was taken for this position and those after it. */
        void giveBack(long position);
    }

    /** How an {@link OpsFetcher} finds what was posted. The progress thread. */
    sealed interface Fetcher permits MpscFetcher, LockedFetcher {
        /** Has up to so many groups {@linkplain OpsFetcher#fetch(LaneBook, OpsFetcher.Sink, int) delivered}. */
        int fetch(OpsFetcher lanes, OpsFetcher.Sink sink, int maxGroups);

        /** Whether {@link #fetch} would bring some. */
        boolean hasPosted();

        /** {@linkplain LaneBook#copy Copies} the next posted ops of a lane out. Returns false if there are none. */
        boolean copy(LaneBook book);

        /** The next op of a lane is about to be delivered. */
        void take(LaneBook book);

        /** Slots of a lane may be used again: so many of its ops have ended. */
        void completed(LaneBook book);
    }
}
