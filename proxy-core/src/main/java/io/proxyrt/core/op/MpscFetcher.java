/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import org.jctools.queues.MessagePassingQueue;

/** Takes ops in the order in which they were posted, across all posters. */
final class MpscFetcher extends OpsFetcher {
    private final MessagePassingQueue<Posting> queue;
    private Posting current;
    /** Read with the posting: its poster may use that again as soon as its first op has ended. */
    private long upTo;

    MpscFetcher(OpsPoolHeader header, Doorbell doorbell, OpsLane[] lanes, MessagePassingQueue<Posting> queue) {
        super(header, doorbell, lanes);
        this.queue = queue;
    }

    @Override
    public int fetch(Sink sink, int maxGroups) {
        int groups = maxGroups;
        int ops = 0;
        while (groups > 0 && hasPosted()) {
            LaneBook book = book(current.lane);
            long start = book.fetched;
            groups -= fetch(book, sink, groups);
            ops += (int) (book.fetched - start);
        }
        return ops;
    }

    @Override
    public boolean hasPosted() {
        if (current == null) {
            current = queue.relaxedPoll();
            upTo = current == null ? 0 : current.upTo;
        }
        return current != null;
    }

    @Override
    boolean copy(LaneBook book) {
        if (!hasPosted() || current.lane != book.lane.index()) {
            return false;
        }
        book.copy(book.fetched, upTo - book.fetched);
        return true;
    }

    @Override
    void take(LaneBook book) {
        if (upTo == book.fetched + 1) {
            current = null;
        }
    }

    @Override
    void completed(LaneBook book) {
        book.lane.completed(book.completed);
    }
}
