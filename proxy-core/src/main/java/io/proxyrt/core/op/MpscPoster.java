/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import org.jctools.queues.MessagePassingQueue;

/** Posts to the ring of a lane, and tells the queue of all lanes about it. */
final class MpscPoster extends LanePoster {
    private final MessagePassingQueue<Posting> queue;
    private final Posting[] postings;
    private final Doorbell doorbell;

    MpscPoster(OpsPoolHeader header, OpsLane lane, Doorbell doorbell, MessagePassingQueue<Posting> queue,
            Posting[] postings, PosterSettings settings) {
        super(header, lane, doorbell, settings);
        this.queue = queue;
        this.postings = postings;
        this.doorbell = doorbell;
    }

    @Override
    void publish(long from, long upTo) {
        // As a slot, the posting is free again once the op that was posted a capacity ago has ended.
        Posting posting = postings[(int) from & postings.length - 1];
        posting.upTo = upTo;
        lane().posted(upTo);
        queue.relaxedOffer(posting);
        doorbell.ringIfArmed();
    }
}
