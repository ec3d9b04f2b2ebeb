/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/** Posts to the ring of a lane. */
sealed class LanePoster extends OpsPoster permits MpscPoster {
    private final OpsLane lane;
    private final Doorbell doorbell;

    LanePoster(OpsPoolHeader header, OpsLane lane, Doorbell doorbell, PosterSettings settings) {
        super(header, lane, settings);
        this.lane = lane;
        this.doorbell = doorbell;
    }

    @Override
    final long slot(long position) {
        return lane.slot(position);
    }

    @Override
    final long limit(long position) {
        return lane.completed() + lane.capacity();
    }

    @Override
    void publish(long from, long upTo) {
        lane.posted(upTo);
        doorbell.ringIfArmed();
    }

    @Override
    final void giveBack(long position) {
        // The next poster of the lane goes on at the same position.
    }
}
