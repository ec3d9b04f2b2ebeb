/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.util.stream.IntStream;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;

/** A queue of posts, beside the rings of the lanes. */
final class MpscOrder implements PostOrder {
    private final MessagePassingQueue<Posting> queue;
    private final Doorbell doorbell;

    MpscOrder(int lanes, int capacity, Doorbell doorbell) {
        this.queue = new MpscVarHandleArrayQueue<>(lanes * capacity);
        this.doorbell = doorbell;
    }

    @Override
    public Poster poster(OpsLane lane) {
        Posting[] postings = IntStream.range(0, lane.capacity()).mapToObj(i -> new Posting(lane.index()))
                .toArray(Posting[]::new);
        return new MpscPoster(lane, doorbell, queue, postings);
    }

    @Override
    public Fetcher fetcher(OpsLane[] lanes) {
        return new MpscFetcher(queue);
    }

    @Override
    public Doorbell doorbell() {
        return doorbell;
    }
}
