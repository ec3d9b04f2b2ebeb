/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/** Takes from all lanes in turn, beginning with the one after that which came first last time. */
final class LaneFetcher extends OpsFetcher {
    private int firstLane;

    LaneFetcher(OpsPoolHeader header, Doorbell doorbell, OpsLane[] lanes) {
        super(header, doorbell, lanes);
    }

    @Override
    public int fetch(Sink sink, int maxGroups) {
        int n = nLanes();
        int groups = maxGroups;
        int ops = 0;
        for (int i = 0; i < n && groups > 0; i++) {
            LaneBook book = book(firstLane + i < n ? firstLane + i : firstLane + i - n);
            if (book.hasPosted()) {
                long start = book.fetched;
                groups -= fetch(book, sink, groups);
                ops += (int) (book.fetched - start);
            }
        }
        firstLane = firstLane + 1 < n ? firstLane + 1 : 0;
        return ops;
    }

    @Override
    public boolean hasPosted() {
        for (int i = 0; i < nLanes(); i++) {
            if (book(i).hasPosted()) {
                return true;
            }
        }
        return false;
    }

    @Override
    boolean copy(LaneBook book) {
        if (!book.hasPosted()) {
            return false;
        }
        book.copy(book.fetched, book.seen - book.fetched);
        return true;
    }

    @Override
    void take(LaneBook book) {
        // The count of fetched ops is all there is to a lane.
    }

    @Override
    void completed(LaneBook book) {
        book.lane.completed(book.completed);
    }
}
