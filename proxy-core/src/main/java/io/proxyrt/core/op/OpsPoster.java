/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.concurrent.locks.LockSupport;

/**
 * The producing end of a lane: RCCL's private chain of ops, and its post. {@link #append} hands out slots that nobody
 * sees yet, {@link #post} makes all of them visible with one release store. One thread at a time; allocates nothing.
 */
public final class OpsPoster implements AutoCloseable {
    private static final long PARK_NS = 50_000;
    private static final int SPINS = 100;

    private final OpsPool pool;
    private final OpsLane lane;
    private final long timeoutNs;
    private final int capacity;
    private final ProxyOpEncoder op = new ProxyOpEncoder();
    private long position;
    private long posted;
    private long limit;
    private long groupStart;
    private long groupOpCount;
    private boolean isClosed;
    private Runnable onFull = () -> { };

    OpsPoster(OpsPool pool, OpsLane lane, long timeoutNs) {
        this.pool = pool;
        this.lane = lane;
        this.timeoutNs = timeoutNs;
        this.capacity = lane.capacity();
        this.position = lane.posted();
        this.posted = position;
        this.groupStart = position;
        this.limit = lane.completed() + capacity;
    }

    /**
     * Lets this thread drive the runtime while it waits for room, as INVOKER mode needs.
     *
     * @param onFull called again and again while the lane is full
     */
    public void onFull(Runnable onFull) {
        this.onFull = onFull;
    }

    /**
     * Takes the next slot for an op. If the lane is full, posts the complete groups appended so far and waits for room:
     * ops of one opCount are never torn apart, because their group must not start before it is whole.
     *
     * @param opCount the grouping key
     * @return a zeroed op to fill, valid until the next call on this poster
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if one group alone exceeds the capacity,
     *                        {@link ProxyResult#TIMEOUT} if no room came in time
     */
    public ProxyOpEncoder append(long opCount) {
        if (position == limit) {
            makeRoom(opCount);
        }
        if (position == posted || opCount != groupOpCount) {
            groupStart = position;
            groupOpCount = opCount;
        }
        return lane.op(op, position++, opCount);
    }

    /** Makes all appended ops visible to the progress agent, and wakes it if it sleeps. */
    public void post() {
        if (position != posted) {
            publish(position);
        }
    }

    /**
     * Ops of this poster that have not ended; those not posted count too.
     *
     * @return 0 when all are done
     */
    public long outstanding() {
        return position - lane.completed();
    }

    /** Gives the lane back once it is drained of this poster's ops; appended ops that were not posted are dropped. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            lane.release();
        }
    }

    private void publish(long upTo) {
        posted = upTo;
        lane.posted(upTo);
        pool.signalPosted();
    }

    private void makeRoom(long opCount) {
        limit = lane.completed() + capacity;
        if (position != limit) {
            return;
        }
        long boundary = opCount == groupOpCount ? groupStart : position;
        if (boundary > posted) {
            publish(boundary);
        }
        if (position - posted == capacity) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + pool.rank() + ", lane " + lane.index()
                    + ": a group of ops with opCount " + opCount + " is larger than the lane's capacity of " + capacity
                    + "; raise proxyrt.ops.lane.capacity");
        }
        awaitRoom();
    }

    private void awaitRoom() {
        long deadline = System.nanoTime() + timeoutNs;
        for (int turn = 0; position == limit; turn++) {
            if (System.nanoTime() - deadline >= 0) {
                throw new ProxyException(ProxyResult.TIMEOUT, "rank " + pool.rank() + ", lane " + lane.index()
                        + ": no op of " + capacity + " ended within " + timeoutNs / 1_000_000 + " ms (posted "
                        + lane.posted() + ", fetched " + lane.fetched() + ", completed " + lane.completed()
                        + "); is a peer stuck?");
            }
            onFull.run();
            if (turn < SPINS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(PARK_NS);
            }
            limit = lane.completed() + capacity;
        }
    }
}
