/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/** What the consumer knows of one lane. */
final class LaneBook {
    final OpsLane lane;
    final InFlightOps inFlight;
    /** Ops that were taken. */
    long fetched;
    /** Ops of them that have ended. */
    long completed;
    /** Ops that are known to be posted. */
    long seen;
    /** Whether ops are being delivered: then what ends is published at the end. */
    boolean isFetching;

    LaneBook(OpsLane lane) {
        this.lane = lane;
        this.inFlight = new InFlightOps(lane);
    }

    /** Looks at the poster's word only when all that was seen there is used up: each look costs both a cache miss. */
    boolean hasPosted() {
        if (seen == fetched) {
            seen = lane.posted();
        }
        return seen != fetched;
    }
}
