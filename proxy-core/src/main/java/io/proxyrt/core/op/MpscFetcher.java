/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import org.jctools.queues.MessagePassingQueue;

/** Takes ops in the order in which they were posted, across all posters. */
final class MpscFetcher implements PostOrder.Fetcher {
    private final MessagePassingQueue<Posting> queue;
    private Posting current;
    /** Read with the posting: its poster may use that again as soon as its first op has ended. */
    private long upTo;

    MpscFetcher(MessagePassingQueue<Posting> queue) {
        this.queue = queue;
    }

    @Override
    public int fetch(OpsFetcher lanes, OpsFetcher.Sink sink, int maxGroups) {
        int groups = maxGroups;
        int ops = 0;
        while (groups > 0 && hasPosted()) {
            LaneBook book = lanes.book(current.lane);
            long start = book.fetched;
            groups -= lanes.fetch(book, sink, groups);
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
    public boolean copy(LaneBook book) {
        if (!hasPosted() || current.lane != book.lane.index()) {
            return false;
        }
        book.copy(book.fetched, upTo - book.fetched);
        return true;
    }

    @Override
    public void take(LaneBook book) {
        assert book.fetched < upTo : book;
        if (upTo == book.fetched + 1) {
            current = null;
        }
    }

    @Override
    public void completed(LaneBook book) {
        book.lane.completed(book.completed);
    }
}
