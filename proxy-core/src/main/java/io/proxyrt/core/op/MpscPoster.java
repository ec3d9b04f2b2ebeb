/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import org.jctools.queues.MessagePassingQueue;

/** Posts to the ring of a lane, and tells the queue of all lanes about it. */
final class MpscPoster implements PostOrder.Poster {
    private final OpsLane lane;
    private final Doorbell doorbell;
    private final MessagePassingQueue<Posting> queue;
    private final Posting[] postings;

    MpscPoster(OpsLane lane, Doorbell doorbell, MessagePassingQueue<Posting> queue, Posting[] postings) {
        this.lane = lane;
        this.doorbell = doorbell;
        this.queue = queue;
        this.postings = postings;
    }

    @Override
    public long slot(long position) {
        return lane.slot(position);
    }

    @Override
    public long limit(long position) {
        return lane.completed() + lane.capacity();
    }

    @Override
    public void publish(long from, long upTo) {
        // As a slot, the posting is free again once the op that was posted a capacity ago has ended.
        Posting posting = postings[(int) from & postings.length - 1];
        assert posting.upTo <= from && from < upTo && upTo - from <= postings.length : upTo;
        posting.upTo = upTo;
        lane.posted(upTo);
        queue.relaxedOffer(posting);
        doorbell.ringIfArmed();
    }

    @Override
    public void giveBack(long position) {
        // The next poster of the lane goes on at the same position.
    }
}
