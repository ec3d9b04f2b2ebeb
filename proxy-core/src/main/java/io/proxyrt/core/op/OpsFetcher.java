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
public abstract sealed class OpsFetcher permits LaneFetcher, MpscFetcher, LockedFetcher {
    private final OpsPoolHeader header;
    private final Doorbell doorbell;
    private final LaneBook[] books;
    private final OpBlocks blocks = new OpBlocks();

    OpsFetcher(OpsPoolHeader header, Doorbell doorbell, OpsLane[] lanes) {
        this.header = header;
        this.doorbell = doorbell;
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
    public abstract int fetch(Sink sink, int maxGroups);

    /**
     * Whether any lane holds ops that were not fetched.
     *
     * @return true if {@link #fetch} would bring some
     */
    public abstract boolean hasPosted();

    /**
     * An op has ended, well or badly: its slot may be used again.
     *
     * @param ticket of the op
     */
    public final void complete(int ticket) {
        OpBlock block = blocks.of(ticket);
        block.end(ticket & OpBlock.OPS - 1);
        LaneBook book = block.book;
        if (block.live == 0 && !book.isCopyingTo(block)) {
            blocks.give(block);
        }
        book.completed++;
        if (!book.isFetching) {
            completed(book);
        }
    }

    /**
     * Tells the time, for the ages of ops and for posters that ask whether the consumer lives.
     *
     * @param nowNs of the monotonic clock
     */
    public final void tick(long nowNs) {
        blocks.tick(nowNs);
        header.tick(nowNs);
    }

    /**
     * Announces that the consumer is about to sleep, so that posters wake it. To be followed by {@link #hasPosted()},
     * which must be false, only then by {@link #sleep}, and in any case by {@link #disarm()}.
     *
     * @return false if the doorbell rang meanwhile: do not sleep, look again
     */
    public final boolean arm() {
        return doorbell.arm();
    }

    /**
     * Sleeps until something is posted, the pool's {@link OpsPool#wakeup()} is called, the time is up, or for no
     * reason.
     *
     * @param maxNs longest sleep, in nanoseconds
     */
    public final void sleep(long maxNs) {
        doorbell.sleep(maxNs);
    }

    /** The consumer is awake. */
    public final void disarm() {
        doorbell.disarm();
    }

    /**
     * Brings the mapped file's list of ops in flight up to date; now and then, for it takes some microseconds.
     */
    public final void publishInFlight() {
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
    public final boolean isInFlight(int ticket) {
        return blocks.of(ticket).since[ticket & OpBlock.OPS - 1] != 0;
    }

    /**
     * How many ops are in flight, over all lanes.
     *
     * @return fetched - completed
     */
    public final int inFlight() {
        int count = 0;
        for (LaneBook book : books) {
            count += (int) (book.fetched - book.completed);
        }
        return count;
    }

    /** {@linkplain LaneBook#copy Copies} the next posted ops of a lane out. Returns false if there are none. */
    abstract boolean copy(LaneBook book);

    /** The next op of a lane is about to be delivered. */
    abstract void take(LaneBook book);

    /** Slots of a lane may be used again: those of the ops that its book counts as ended. */
    abstract void completed(LaneBook book);

    final LaneBook book(int lane) {
        return books[lane];
    }

    final int nLanes() {
        return books.length;
    }

    /** Delivers up to {@code maxGroups} groups of what a lane holds. Returns how many. */
    final int fetch(LaneBook book, Sink sink, int maxGroups) {
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
                take(book);
                book.take();
                sink.accept(op);
            }
            return groups;
        } finally {
            book.isFetching = false;
            book.lane.fetched(book.fetched);
            completed(book);
        }
    }
}
