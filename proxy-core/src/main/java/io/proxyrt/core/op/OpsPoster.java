/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.FullPolicy;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.jfr.Jfr;
import io.proxyrt.core.jfr.OpPostedEvent;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * The producing end of a lane: RCCL's private chain of ops, and its post. {@link #append} hands out slots that the
 * consumer does not see yet, {@link #post} makes all of them visible at once. One thread at a time; allocates nothing
 * unless it throws.
 */
public final class OpsPoster implements AutoCloseable {
    private static final long PARK_NS = 50_000;
    private static final long NONE = -1;
    private static final int SPINS = 100;
    private static final int TURNS_BETWEEN_CHECKS = 2048;

    private final OpsPoolHeader header;
    private final OpsLane lane;
    private final Doorbell doorbell;
    /** Null if it posts to the ring of its lane, which no other thread has to know of. */
    private final PostOrder.Poster order;
    private final MemorySegment memory;
    private final FullPolicy policy;
    private final long timeoutNs;
    private final int capacity;
    private final ProxyOpEncoder op = new ProxyOpEncoder();
    /** Where the op that is being filled will go. */
    private long slot = NONE;
    private long position;
    private long posted;
    private long limit;
    private long groupStart;
    private long groupOpCount;
    /**
     * Slots that a poster waits for, if not for long: for less, it and the consumer would soon stop each other again.
     */
    private int worthwhile;
    private boolean isClosed;
    private FullHandler onFull = waitedNs -> false;
    private Runnable driver = () -> { };

    /** The order is null for a pool of lanes. */
    OpsPoster(OpsPoolHeader header, OpsLane lane, Doorbell doorbell, PosterSettings settings,
            PostOrder.Poster order) {
        this.header = header;
        this.lane = lane;
        this.doorbell = doorbell;
        this.order = order;
        this.memory = lane.memory();
        this.policy = settings.policy();
        this.timeoutNs = settings.timeoutNs();
        this.capacity = lane.capacity();
        this.worthwhile = Math.max(1, capacity / 4);
        this.position = lane.posted();
        // As the poster before may have died before it did.
        lane.posted(position);
        this.posted = position;
        this.groupStart = position;
        this.limit = position;
    }

    /** Decides what happens while a lane is full, with {@link FullPolicy#CALLBACK}. */
    @FunctionalInterface
    public interface FullHandler {
        /**
         * The lane has no room for the next op. Called again and again by the posting thread; may do other work.
         *
         * @param waitedNs how long it has been full, in nanoseconds
         * @return true to look again, false to let the append fail
         */
        boolean isWorthWaiting(long waitedNs);
    }

    /**
     * Sets what {@link FullPolicy#CALLBACK} asks. Without it that policy is {@link FullPolicy#FAIL}.
     *
     * @param handler called by the posting thread
     */
    public void onFull(FullHandler handler) {
        this.onFull = handler;
    }

    /**
     * Lets this thread drive the runtime while it waits for room, as INVOKER mode needs. It then takes any room there
     * is: no other thread would make more.
     *
     * @param driver called again and again while the lane is full
     */
    public void driver(Runnable driver) {
        this.driver = driver;
        this.worthwhile = 1;
    }

    /**
     * Takes the next slot for an op. If the lane is full, posts the complete groups appended so far and does what the
     * {@link FullPolicy} says: ops of one opCount are never torn apart, because their group must not start before it is
     * whole. An append that throws has appended nothing.
     *
     * @param opCount the grouping key
     * @return a zeroed op to fill, valid until the next call on this poster
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if one group alone exceeds the capacity; it is dropped.
     *                        {@link ProxyResult#TIMEOUT} if there is no room and the policy is to wait no longer,
     *                        {@link ProxyResult#REMOTE_ERROR} if the proxy is gone,
     *                        {@link ProxyResult#INVALID_USAGE} if its runtime was closed
     */
    public ProxyOpEncoder append(long opCount) {
        try {
            take(opCount);
        } catch (IllegalStateException e) {
            throw closed(e);
        }
        return op.clear().opCount(opCount);
    }

    /**
     * Appends a copy of a prepared op.
     *
     * @param opCount  the grouping key
     * @param prepared the op; may be changed and appended again at once
     * @throws ProxyException as {@link #append(long)}
     */
    public void append(long opCount, ProxyOpEncoder prepared) {
        try {
            take(opCount);
            put(prepared.opCount(opCount));
        } catch (IllegalStateException e) {
            throw closed(e);
        }
        slot = NONE;
    }

    /**
     * Makes all appended ops visible to the progress agent, and wakes it if it sleeps.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if there are any and the runtime was closed
     */
    public void post() {
        if (position != posted) {
            try {
                write();
                publishUpTo(position);
            } catch (IllegalStateException e) {
                throw closed(e);
            }
        }
    }

    /**
     * Ops of this poster that have not ended; those not posted count too.
     *
     * @return 0 when all are done
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the runtime was closed
     */
    public long outstanding() {
        try {
            return position - lane.completed();
        } catch (IllegalStateException e) {
            throw closed(e);
        }
    }

    /**
     * How many ops can be appended without waiting.
     *
     * @return 0 to the capacity of the lane
     * @throws ProxyException as {@link #outstanding()}
     */
    public int room() {
        return (int) (capacity - outstanding());
    }

    /**
     * How many ops the lane holds.
     *
     * @return its capacity
     */
    public int capacity() {
        return capacity;
    }

    /** Gives the lane back; ops that were appended but not posted are dropped. Idempotent. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            slot = NONE;
            position = posted;
            limit = posted;
            if (memory.scope().isAlive()) {
                giveBack();
            }
        }
    }

    private void giveBack() {
        // Of a ring there is nothing to give back: its next poster goes on at the same position.
        if (order != null) {
            order.giveBack(posted);
        }
        lane.release();
    }

    /** The pool's memory is freed by a close of its runtime alone. */
    private ProxyException closed(IllegalStateException freed) {
        if (memory.scope().isAlive()) {
            throw freed;
        }
        return new ProxyException(ProxyResult.INVALID_USAGE, header + ": the runtime was closed", freed);
    }

    private void take(long opCount) {
        write();
        if (position == limit) {
            makeRoom(opCount);
        }
        if (position == posted || opCount != groupOpCount) {
            groupStart = position;
            groupOpCount = opCount;
        }
        slot = order == null ? lane.slot(position) : order.slot(position);
        position++;
        assert isBalanced() : lane;
    }

    /** Whether completed <= posted <= position <= limit, which is no more than the capacity ahead of completed. */
    private boolean isBalanced() {
        long completed = lane.completed();
        return completed <= posted && posted <= position && position <= limit && limit - completed <= capacity;
    }

    /** Up to which position there are free slots now. */
    private long freeUpTo() {
        return order == null ? lane.completed() + capacity : order.limit(position);
    }

    /** Puts the op that is being filled into its slot. */
    private void write() {
        if (slot != NONE) {
            put(op);
            slot = NONE;
        }
    }

    private void put(ProxyOpEncoder filled) {
        filled.write(memory, slot);
        if (Jfr.recordsPosts()) {
            OpPostedEvent event = new OpPostedEvent();
            event.rank = header.rank();
            filled.record(event);
            event.commit();
        }
    }

    private void publishUpTo(long upTo) {
        assert posted < upTo && upTo <= position : lane;
        long from = posted;
        posted = upTo;
        if (order == null) {
            lane.publish(from, upTo);
            doorbell.ringIfArmed();
        } else {
            order.publish(from, upTo);
        }
    }

    private void makeRoom(long opCount) {
        if (isClosed) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, header + ", " + lane + ": the poster is closed");
        }
        limit = freeUpTo();
        if (position != limit) {
            return;
        }
        long boundary = position != posted && opCount == groupOpCount ? groupStart : position;
        if (boundary > posted) {
            publishUpTo(boundary);
        }
        if (position - posted == capacity) {
            position = posted;
            throw new ProxyException(ProxyResult.INVALID_USAGE, header + ", " + lane + ": a group of ops with opCount "
                    + opCount + " is larger than the lane and was dropped; raise proxyrt.ops.lane.capacity");
        }
        awaitRoom();
    }

    private void awaitRoom() {
        long start = System.nanoTime();
        for (int turn = 0; position == limit || turn < SPINS && limit - position < worthwhile; turn++) {
            if (position == limit) {
                check(turn, System.nanoTime() - start);
            }
            driver.run();
            if (turn < SPINS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(PARK_NS);
            }
            limit = freeUpTo();
        }
    }

    private void check(int turn, long waitedNs) {
        if (policy == FullPolicy.BLOCK && waitedNs >= timeoutNs) {
            throw full(ProxyResult.TIMEOUT, "no op ended within " + timeoutNs / 1_000_000 + " ms");
        }
        if (policy == FullPolicy.FAIL || policy == FullPolicy.CALLBACK && !onFull.isWorthWaiting(waitedNs)) {
            throw full(ProxyResult.TIMEOUT, "it is full");
        }
        if (header.isClosed() || turn % TURNS_BETWEEN_CHECKS == 0 && turn > 0 && !header.isProxyAlive()) {
            throw full(ProxyResult.REMOTE_ERROR, "the proxy is gone");
        }
        if (Thread.currentThread().isInterrupted()) {
            throw full(ProxyResult.INVALID_USAGE, "interrupted while waiting for room");
        }
    }

    private ProxyException full(ProxyResult result, String what) {
        String oldest = lane.inFlight().stream().findFirst()
                .map(op -> "the oldest op in flight is " + op + "; is its peer stuck?")
                .orElseGet(() -> "nothing is in flight, and the progress agent last gave a sign of life "
                        + header.msSinceTick() + " ms ago");
        return new ProxyException(result, header + ", " + lane + ": " + what + "; " + oldest);
    }
}
