/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/**
 * The consuming end of all lanes. A batch counts groups, runs of one opCount from one poster, as RCCL's
 * {@code ncclProxyGetPostedOps} does, and never cuts one. Confined to the progress thread; allocates nothing.
 */
public abstract sealed class OpsFetcher permits LaneFetcher, MpscFetcher, LockedFetcher {
    private static final int NO_LANE = -1;

    private final OpsPoolHeader header;
    private final Doorbell doorbell;
    private final OpsLane[] lanes;
    private final InFlightOps[] inFlight;
    private final long[] fetched;
    private final long[] completed;
    private final int ticketShift;
    private final ProxyOp op = new ProxyOp();
    private int fetchingLane = NO_LANE;
    private long nowNs = System.nanoTime();

    OpsFetcher(OpsPoolHeader header, Doorbell doorbell, OpsLane[] lanes) {
        this.header = header;
        this.doorbell = doorbell;
        this.lanes = lanes;
        this.inFlight = new InFlightOps[lanes.length];
        this.fetched = new long[lanes.length];
        this.completed = new long[lanes.length];
        this.ticketShift = Integer.numberOfTrailingZeros(lanes[0].capacity());
        for (int i = 0; i < lanes.length; i++) {
            inFlight[i] = new InFlightOps(lanes[i]);
        }
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
     * Takes up to so many groups of posted ops. Their slots stay taken until {@link #complete}.
     *
     * @param sink      gets each op
     * @param maxGroups at most so many groups
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
        int lane = ticket >>> ticketShift;
        inFlight[lane].remove(ticket & (1 << ticketShift) - 1);
        completed[lane]++;
        if (lane != fetchingLane) {
            completed(lane, completed[lane]);
        }
    }

    /**
     * Tells the time, for the ages of ops and for posters that ask whether the consumer lives.
     *
     * @param nowNs of the monotonic clock
     */
    public final void tick(long nowNs) {
        this.nowNs = nowNs;
        header.tick(nowNs);
    }

    /**
     * Announces that the consumer is about to sleep, so that posters wake it. To be followed by {@link #hasPosted()},
     * which must be false, only then by {@link #sleep}, and in any case by {@link #disarm()}.
     *
     * @return false if somebody rang meanwhile: do not sleep, look again
     */
    public final boolean arm() {
        return doorbell.arm();
    }

    /**
     * Sleeps until something is posted, the pool's {@link OpsPool#wakeup()} is called, the time is up, or for no reason.
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
     * Whether an op is in flight; for the consumer's own audit.
     *
     * @param ticket of an op
     * @return false if it has ended
     */
    public final boolean isInFlight(int ticket) {
        return inFlight[ticket >>> ticketShift].contains(ticket & (1 << ticketShift) - 1);
    }

    /**
     * How many ops are in flight, over all lanes.
     *
     * @return fetched - completed
     */
    public final int inFlight() {
        int count = 0;
        for (InFlightOps ops : inFlight) {
            count += ops.size();
        }
        return count;
    }

    /** Slots of a lane may be used again: so many of its ops have ended. */
    abstract void completed(int lane, long count);

    final OpsLane lane(int lane) {
        return lanes[lane];
    }

    final int nLanes() {
        return lanes.length;
    }

    final long position(int lane) {
        return fetched[lane];
    }

    /** From now on ops of that lane are delivered. Until {@link #endLane()} what ends meanwhile is only counted. */
    final void beginLane(int lane) {
        fetchingLane = lane;
    }

    /** Publishes what has happened to the lane. */
    final void endLane() {
        int lane = fetchingLane;
        fetchingLane = NO_LANE;
        lanes[lane].fetched(fetched[lane]);
        completed(lane, completed[lane]);
    }

    /** The op in a slot of the lane; its opCount may be read. */
    final ProxyOp look(long slot) {
        return op.wrap(lanes[fetchingLane].memory(), slot);
    }

    /** Hands over the op that was looked at last. */
    final void deliver(Sink sink) {
        int lane = fetchingLane;
        op.ticket(lane << ticketShift | inFlight[lane].add(op, nowNs));
        fetched[lane]++;
        sink.accept(op);
    }
}
