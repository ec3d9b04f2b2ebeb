/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.counters.AsyncResult;
import java.util.Arrays;

/**
 * A group of ops that advance together: RCCL's {@code ncclProxyArgs}, an element of the active list. Confined to the
 * progress thread.
 */
public final class ProxyArgs {
    /** Most subs of a group: {@code NCCL_PROXY_MAX_SUBS}. */
    public static final int MAX_SUBS = 128;

    private static final ProxySubArgs[] NO_OTHERS = {};

    /** Where a group stands. */
    public enum State {
        /** Finished, or in the pool. */
        NONE,
        /** Appended, not yet started: may still grow. */
        READY,
        /** Under way. */
        PROGRESS
    }

    /** Where it stands; the transport moves it from READY to PROGRESS to NONE. */
    public State state = State.NONE;
    /** Subs that are finished; counted by the transport. */
    public int done;

    ProxyProgress progress;
    AppendQueue appendQueue;
    ProxyArgs next;
    ProxyArgs nextPeer;
    long opCount;
    /** When it is to be dropped if it has not ended; of the monotonic clock. */
    long deadlineNs = Long.MAX_VALUE;
    int sliceSteps;
    int chunkSteps;
    int protocol;
    int dtype;
    int redOp;
    int coll;

    /** Most groups have one sub: a pass over them is spared an array, which would be a cache line each. */
    private final ProxySubArgs first = new ProxySubArgs();
    private ProxySubArgs[] others = NO_OTHERS;
    private int nsubs;
    private String failure;

    ProxyArgs() {
    }

    /**
     * A group of one op in state READY, of the Simple protocol, that no agent knows: for driving a progress function by
     * hand, as tests and conformance suites do.
     *
     * @param connection the op runs on
     * @param opCount    the grouping key
     * @param nsteps     steps of the op, a multiple of sliceSteps
     * @param sliceSteps steps of a slice
     * @param chunkSteps steps of a chunk, a multiple of sliceSteps
     * @param nbytes     most bytes of a slice
     * @return owned by the caller
     */
    public static ProxyArgs of(
            ProxyConnection connection, long opCount, int nsteps, int sliceSteps, int chunkSteps, long nbytes) {
        ProxyArgs args = new ProxyArgs();
        args.progress = connection.progress();
        args.appendQueue = connection.appendQueue();
        args.opCount = opCount;
        args.sliceSteps = sliceSteps;
        args.chunkSteps = chunkSteps;
        args.protocol = Protocol.SIMPLE.ordinal();
        args.state = State.READY;
        args.add(connection, nsteps, nbytes);
        return args;
    }

    /**
     * Sets the protocol of a group that is driven by hand.
     *
     * @param protocol how steps travel
     * @return this
     */
    public ProxyArgs protocol(Protocol protocol) {
        this.protocol = protocol.ordinal();
        return this;
    }

    /**
     * Says what a group that is driven by hand is a part of.
     *
     * @param function which collective
     * @param type     of the elements
     * @param op       the reduction; null if nothing is reduced
     * @return this
     */
    public ProxyArgs collective(CollFunction function, DataType type, RedOp op) {
        this.coll = function.ordinal();
        this.dtype = type.ordinal();
        this.redOp = op == null ? 0 : op.ordinal();
        return this;
    }

    /**
     * Adds an op to a group that is driven by hand.
     *
     * @param connection the op runs on
     * @param nsteps     steps of the op, a multiple of sliceSteps
     * @param nbytes     most bytes of a slice
     * @return the op's state, whose registered memory may be set
     */
    public ProxySubArgs add(ProxyConnection connection, int nsteps, long nbytes) {
        ProxySubArgs sub = addSub();
        sub.connection = connection;
        sub.peer = connection.peer();
        sub.nsteps = nsteps;
        sub.nbytes = nbytes;
        return sub;
    }

    /**
     * How many ops the group has.
     *
     * @return at least 1
     */
    public int nsubs() {
        return nsubs;
    }

    /**
     * One op of the group.
     *
     * @param index 0 to {@link #nsubs()} - 1
     * @return the op's state
     */
    public ProxySubArgs sub(int index) {
        assert index >= 0 && index < nsubs : index;
        return index == 0 ? first : others[index - 1];
    }

    /**
     * Steps of a slice: the unit of all counters.
     *
     * @return at least 1
     */
    public int sliceSteps() {
        return sliceSteps;
    }

    /**
     * Steps of a chunk: the op starts at a multiple.
     *
     * @return at least 1
     */
    public int chunkSteps() {
        return chunkSteps;
    }

    /**
     * How steps travel.
     *
     * @return a code of {@link io.proxyrt.core.Protocol}
     */
    public int protocol() {
        return protocol;
    }

    /**
     * Which collective it is a part of.
     *
     * @return a code of {@link CollFunction}
     */
    public int coll() {
        return coll;
    }

    /**
     * The type of the elements.
     *
     * @return a code of {@link DataType}
     */
    public int dtype() {
        return dtype;
    }

    /**
     * The reduction.
     *
     * @return a code of {@link RedOp}; of no meaning if nothing is reduced
     */
    public int redOp() {
        return redOp;
    }

    /**
     * The grouping key, which is also the order of ops on a connection.
     *
     * @return as posted
     */
    public long opCount() {
        return opCount;
    }

    /**
     * Leaves the reason for the error that {@link ProxyProgress#advance} is about to return.
     *
     * @param result an error
     * @param detail what failed, for people
     * @return the negated code, to be returned
     */
    public int fail(ProxyResult result, String detail) {
        failure = detail;
        return -result.code();
    }

    String failure() {
        return failure == null ? "the transport gave no reason" : failure;
    }

    ProxySubArgs addSub() {
        assert nsubs < MAX_SUBS : nsubs;
        if (nsubs > others.length) {
            others = Arrays.copyOf(others, Math.min(MAX_SUBS - 1, 2 * nsubs));
        }
        if (nsubs > 0 && others[nsubs - 1] == null) {
            others[nsubs - 1] = new ProxySubArgs();
        }
        return sub(nsubs++);
    }

    void recycle() {
        for (int i = 0; i < nsubs; i++) {
            sub(i).leave();
        }
        nsubs = 0;
        done = 0;
        state = State.NONE;
        failure = null;
        progress = null;
        appendQueue = null;
        next = null;
        nextPeer = null;
    }

    /** Whether no sub has done more than it has to, and no more subs are finished than there are. */
    boolean isInBounds() {
        for (int i = 0; i < nsubs; i++) {
            if (sub(i).done < 0 || sub(i).done > sub(i).nsteps) {
                return false;
            }
        }
        return done >= 0 && done <= nsubs;
    }

    /** Whether one of its connections is done for. */
    boolean usesFailed() {
        return connectionFailure() != null;
    }

    /** Why a connection of the group is done for; null if all are sound. */
    ProxyException connectionFailure() {
        for (int i = 0; i < nsubs; i++) {
            if (sub(i).connection.failure() != null) {
                return sub(i).connection.failure();
            }
        }
        return null;
    }

    /** Tells of its failure, unless all its connections are expendable. */
    void report(AsyncResult result, ProxyException cause) {
        for (int i = 0; i < nsubs; i++) {
            if (!sub(i).connection.isExpendable()) {
                result.fail(cause);
                return;
            }
        }
    }

    /** Why one of its ops can never end, though no connection is done for; null if all can. */
    ProxyException whyHopeless() {
        for (int i = 0; state == State.PROGRESS && i < nsubs; i++) {
            ProxyException loss = sub(i).connection.loss();
            if (loss != null && progress.awaitsPeer(this, sub(i))) {
                return loss;
            }
        }
        return null;
    }

    boolean uses(ProxyConnection connection) {
        for (int i = 0; i < nsubs; i++) {
            if (sub(i).connection == connection) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("op ").append(opCount).append(' ').append(state);
        for (int i = 0; i < nsubs; i++) {
            text.append(sub(i).connection.direction() == Direction.SEND ? " [send " : " [recv ").append(sub(i))
                    .append(']');
        }
        return text.toString();
    }
}
