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
            int lane = current.lane;
            long start = position(lane);
            groups -= fetchLane(sink, lane, groups);
            ops += (int) (position(lane) - start);
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
    void completed(int lane, long count) {
        lane(lane).completed(count);
    }

    private int fetchLane(Sink sink, int lane, int maxGroups) {
        int groups = 0;
        beginLane(lane);
        try {
            while (groups < maxGroups && isNextFrom(lane)) {
                fetchGroup(sink, lane);
                groups++;
            }
        } finally {
            endLane();
        }
        return groups;
    }

    private void fetchGroup(Sink sink, int lane) {
        OpsLane words = lane(lane);
        long opCount = look(words.slot(position(lane))).opCount();
        do {
            if (upTo == position(lane) + 1) {
                current = null;
            }
            deliver(sink);
        } while (isNextFrom(lane) && look(words.slot(position(lane))).opCount() == opCount);
    }

    private boolean isNextFrom(int lane) {
        return hasPosted() && current.lane == lane;
    }
}
