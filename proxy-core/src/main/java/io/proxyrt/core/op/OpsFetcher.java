/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/**
 * The consuming end of all lanes. A batch counts groups, runs of one opCount from one poster, as RCCL's
 * {@code ncclProxyGetPostedOps} does, and never cuts one. Confined to the progress thread; allocates nothing.
 */
public final class OpsFetcher {
    private final OpsPool pool;
    private final OpsLane[] lanes;
    private final long[] fetched;
    private final long[] completed;
    private final ProxyOp op = new ProxyOp();
    private int firstLane;

    OpsFetcher(OpsPool pool, OpsLane[] lanes) {
        this.pool = pool;
        this.lanes = lanes;
        this.fetched = new long[lanes.length];
        this.completed = new long[lanes.length];
    }

    /** Takes the ops of a batch, one by one. */
    @FunctionalInterface
    public interface Sink {
        /**
         * One op, in the order of its lane.
         *
         * @param lane who posted it, for {@link OpsFetcher#complete}
         * @param op   to be copied: its slot is free once the op is completed
         */
        void accept(int lane, ProxyOp op);
    }

    /**
     * Takes up to so many groups of posted ops, starting with the lane after the one that came first last time. The
     * slots stay taken until {@link #complete}.
     *
     * @param sink      gets each op
     * @param maxGroups at most so many groups
     * @return ops taken
     */
    public int fetch(Sink sink, int maxGroups) {
        int groups = 0;
        int ops = 0;
        int n = lanes.length;
        for (int i = 0; i < n && groups < maxGroups; i++) {
            int lane = firstLane + i < n ? firstLane + i : firstLane + i - n;
            long end = lanes[lane].posted();
            long position = fetched[lane];
            while (position < end && groups < maxGroups) {
                position = fetchGroup(sink, lane, position, end);
                groups++;
            }
            ops += (int) (position - fetched[lane]);
            if (position != fetched[lane]) {
                fetched[lane] = position;
                lanes[lane].fetched(position);
            }
        }
        firstLane = firstLane + 1 < n ? firstLane + 1 : 0;
        return ops;
    }

    private long fetchGroup(Sink sink, int lane, long start, long end) {
        long opCount = lanes[lane].op(op, start).opCount();
        long position = start;
        do {
            sink.accept(lane, op);
            position++;
        } while (position < end && lanes[lane].op(op, position).opCount() == opCount);
        return position;
    }

    /**
     * An op has ended, well or badly: its slot may be used again.
     *
     * @param lane who posted it
     */
    public void complete(int lane) {
        lanes[lane].completed(++completed[lane]);
    }

    /**
     * Whether any lane holds ops that were not fetched.
     *
     * @return true if {@link #fetch} would bring some
     */
    public boolean hasPosted() {
        for (int i = 0; i < lanes.length; i++) {
            if (lanes[i].posted() != fetched[i]) {
                return true;
            }
        }
        return false;
    }

    /**
     * Announces that the consumer is about to park, so that posters wake it. To be followed by {@link #hasPosted()},
     * which must be false, and only then by parking.
     *
     * @param isWaiting false when it is awake again
     */
    public void waiting(boolean isWaiting) {
        pool.waiting(isWaiting);
    }
}
