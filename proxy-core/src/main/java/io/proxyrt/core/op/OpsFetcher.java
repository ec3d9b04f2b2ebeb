/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.util.Arrays;

/**
 * The consuming end of all lanes. A batch counts groups, runs of one opCount from one poster, as RCCL's
 * {@code ncclProxyGetPostedOps} does, and never cuts one. Confined to the progress thread; allocates nothing.
 */
public final class OpsFetcher {
    private final OpsPoolHeader header;
    private final Doorbell doorbell;
    private final LaneBook[] books;
    private final OpBlocks blocks = new OpBlocks();
    /** Null if each lane tells all there is to know. */
    private final PostOrder.Fetcher order;
    private int firstLane;

    /** The order is null for a pool of lanes. */
    OpsFetcher(OpsPoolHeader header, Doorbell doorbell, OpsLane[] lanes, PostOrder.Fetcher order) {
        this.header = header;
        this.doorbell = doorbell;
        this.order = order;
        this.books = Arrays.stream(lanes).map(lane -> new LaneBook(header, lane, blocks)).toArray(LaneBook[]::new);
    }

    /** Takes the ops of a batch, one by one. */
    @FunctionalInterface
    public interface Sink {
        /**
         * One op, in the order of its lane.
         *
         * @param op to be copied: its slot is free once the op has ended. {@link OpsFetcher#complete} gets its
         *           {@link ProxyOp#ticket()}
         */
        void accept(ProxyOp op);
    }

    /**
     * Takes groups of posted ops. Their slots stay taken until {@link #complete}.
     *
     * @param sink      gets each op
     * @param maxGroups most groups to take
     * @return ops taken
     */
    public int fetch(Sink sink, int maxGroups) {
        return order == null ? fetchInTurn(sink, maxGroups) : order.fetch(this, sink, maxGroups);
    }

    /**
     * Whether any lane holds ops that were not fetched.
     *
     * @return true if {@link #fetch} would bring some
     */
    public boolean hasPosted() {
        if (order != null) {
            return order.hasPosted();
        }
        for (LaneBook book : books) {
            if (book.hasPosted()) {
                return true;
            }
        }
        return false;
    }

    /**
     * An op has ended, well or badly: its slot may be used again.
     *
     * @param ticket of the op
     */
    public void complete(int ticket) {
        OpBlock block = blocks.of(ticket);
        block.end(ticket & OpBlock.OPS - 1);
        LaneBook book = block.book;
        if (block.live == 0 && !book.isCopyingTo(block)) {
            blocks.give(block);
        }
        book.completed++;
        assert book.completed <= book.fetched : book;
        if (!book.isFetching) {
            completed(book);
        }
    }

    /**
     * Tells the time, for the ages of ops and for posters that ask whether the consumer lives.
     *
     * @param nowNs of the monotonic clock
     */
    public void tick(long nowNs) {
        blocks.tick(nowNs);
        header.tick(nowNs);
    }

    /**
     * Announces that the consumer is about to sleep, so that posters wake it. To be followed by {@link #hasPosted()},
     * which must be false, only then by {@link #sleep}, and in any case by {@link #disarm()}.
     *
     * @return false if the doorbell rang meanwhile: do not sleep, look again
     */
    public boolean arm() {
        return doorbell.arm();
    }

    /**
     * Sleeps until something is posted, the pool's {@link OpsPool#wakeup()} is called, the time is up, or for no
     * reason.
     *
     * @param maxNs longest sleep, in nanoseconds
     */
    public void sleep(long maxNs) {
        doorbell.sleep(maxNs);
    }

    /** The consumer is awake. */
    public void disarm() {
        doorbell.disarm();
    }

    /**
     * Brings the mapped file's list of ops in flight up to date; now and then, for it takes some microseconds.
     */
    public void publishInFlight() {
        boolean isStale = false;
        for (LaneBook book : books) {
            isStale |= book.strikeEnded();
        }
        for (int i = 0; isStale && i < blocks.count(); i++) {
            OpBlock block = blocks.get(i);
            if (block.live > 0) {
                block.book.publish(block);
            }
        }
    }

    /**
     * Whether an op is in flight; for the consumer's own audit.
     *
     * @param ticket of an op
     * @return false if it has ended
     */
    public boolean isInFlight(int ticket) {
        return blocks.of(ticket).since[ticket & OpBlock.OPS - 1] != 0;
    }

    /**
     * When an op was fetched.
     *
     * @param ticket of an op in flight
     * @return of the monotonic clock, to some microseconds; no two ops have the same
     */
    public long since(int ticket) {
        return blocks.of(ticket).since[ticket & OpBlock.OPS - 1];
    }

    /**
     * How many ops are in flight, over all lanes.
     *
     * @return fetched - completed
     */
    public int inFlight() {
        int count = 0;
        for (LaneBook book : books) {
            count += (int) (book.fetched - book.completed);
        }
        return count;
    }

    LaneBook book(int lane) {
        return books[lane];
    }

    /** Takes from all lanes, beginning with the one after that which came first last time. */
    private int fetchInTurn(Sink sink, int maxGroups) {
        int n = books.length;
        int groups = maxGroups;
        int ops = 0;
        for (int i = 0; i < n && groups > 0; i++) {
            LaneBook book = books[firstLane + i < n ? firstLane + i : firstLane + i - n];
            if (book.hasPosted()) {
                long start = book.fetched;
                groups -= fetch(book, sink, groups);
                ops += (int) (book.fetched - start);
            }
        }
        firstLane = firstLane + 1 < n ? firstLane + 1 : 0;
        return ops;
    }

    /** Delivers up to {@code maxGroups} groups of what a lane holds. Returns how many. */
    int fetch(LaneBook book, Sink sink, int maxGroups) {
        assert !book.isFetching : book;
        int groups = 0;
        long opCount = 0;
        book.isFetching = true;
        try {
            while (book.hasCopy() || copy(book)) {
                ProxyOp op = book.next();
                if (groups == 0 || op.opCount() != opCount) {
                    if (groups == maxGroups) {
                        break;
                    }
                    groups++;
                    opCount = op.opCount();
                }
                if (order != null) {
                    order.take(book);
                }
                book.take();
                sink.accept(op);
            }
            return groups;
        } finally {
            book.isFetching = false;
            assert book.isBalanced() : book;
            book.lane.fetched(book.fetched);
            completed(book);
        }
    }

    /** Copies the next posted ops of a lane out. Returns false if there are none. */
    private boolean copy(LaneBook book) {
        if (order != null) {
            return order.copy(book);
        }
        if (!book.hasPosted()) {
            return false;
        }
        book.copy(book.fetched, book.seen - book.fetched);
        return true;
    }

    /** Slots of a lane may be used again: so many of its ops have ended. */
    private void completed(LaneBook book) {
        if (order == null) {
            book.lane.completed(book.completed);
        } else {
            order.completed(book);
        }
    }
}
