/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/** Takes from all lanes in turn, beginning with the one after that which came first last time. */
final class LaneFetcher extends OpsFetcher {
    private final long[] seen;
    private int firstLane;

    LaneFetcher(OpsPoolHeader header, Doorbell doorbell, OpsLane[] lanes) {
        super(header, doorbell, lanes);
        this.seen = new long[lanes.length];
    }

    @Override
    public int fetch(Sink sink, int maxGroups) {
        int n = nLanes();
        int groups = maxGroups;
        int ops = 0;
        for (int i = 0; i < n && groups > 0; i++) {
            int lane = firstLane + i < n ? firstLane + i : firstLane + i - n;
            if (hasPosted(lane)) {
                long start = position(lane);
                groups -= fetchLane(sink, lane, groups);
                ops += (int) (position(lane) - start);
            }
        }
        firstLane = firstLane + 1 < n ? firstLane + 1 : 0;
        return ops;
    }

    @Override
    public boolean hasPosted() {
        for (int i = 0; i < seen.length; i++) {
            if (hasPosted(i)) {
                return true;
            }
        }
        return false;
    }

    @Override
    void completed(int lane, long count) {
        lane(lane).completed(count);
    }

    /** Looks at the poster's word only when all that was seen there is used up: each look costs both a cache miss. */
    private boolean hasPosted(int lane) {
        if (seen[lane] == position(lane)) {
            seen[lane] = lane(lane).posted();
        }
        return seen[lane] != position(lane);
    }

    private int fetchLane(Sink sink, int lane, int maxGroups) {
        int groups = 0;
        beginLane(lane);
        try {
            while (groups < maxGroups && hasPosted(lane)) {
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
            deliver(sink);
        } while (hasPosted(lane) && look(words.slot(position(lane))).opCount() == opCount);
    }
}
