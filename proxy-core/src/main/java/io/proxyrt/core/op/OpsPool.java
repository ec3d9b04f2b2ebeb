/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/**
 * Where ops wait for the progress agent: RCCL's {@code ncclProxyOpsPool}, as one SPSC lane for each poster in a mapped
 * file. No lock and no compare-and-set on the way of an op, so a poster that dies in the middle wedges nobody.
 */
public final class OpsPool implements AutoCloseable {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MappedFile file;
    private final MemorySegment memory;
    private final OpsLane[] lanes;
    private final long postTimeoutNs;
    private final int rank;
    private volatile Runnable wakeup = () -> { };

    private OpsPool(MappedFile file, OpsLane[] lanes, int rank, long postTimeoutNs) {
        this.file = file;
        this.memory = file.segment();
        this.lanes = lanes;
        this.rank = rank;
        this.postTimeoutNs = postTimeoutNs;
    }

    /**
     * Creates the pool of a proxy.
     *
     * @param path   of the mapped file; must not exist
     * @param rank   of the proxy
     * @param config sizes and the post timeout
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the file cannot be made
     */
    public static OpsPool create(Path path, int rank, ProxyConfig config) {
        int lanes = config.get(CoreOptions.LANES);
        int capacity = config.get(CoreOptions.LANE_CAPACITY);
        MappedFile file = MappedFile.create(path, OpsPoolDescriptor.fileBytes(lanes, capacity));
        MemorySegment memory = file.segment();
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.VERSION_OFFSET, OpsPoolDescriptor.VERSION);
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.LANES_OFFSET, lanes);
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.CAPACITY_OFFSET, capacity);
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.OP_BYTES_OFFSET, (int) ProxyOpDescriptor.BYTES);
        memory.set(ValueLayout.JAVA_LONG, OpsPoolDescriptor.PID_OFFSET, ProcessHandle.current().pid());
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.RANK_OFFSET, rank);
        LONG.setRelease(memory, 0L, OpsPoolDescriptor.MAGIC);
        OpsLane[] views = new OpsLane[lanes];
        for (int i = 0; i < lanes; i++) {
            views[i] = new OpsLane(memory, i, capacity);
        }
        return new OpsPool(file, views, rank, config.get(CoreOptions.POST_TIMEOUT).toNanos());
    }

    /**
     * Claims a lane for the calling thread, or for the one thread that will use the poster.
     *
     * @return to be closed by that thread
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if all lanes are taken
     */
    public OpsPoster poster() {
        long pid = ProcessHandle.current().pid();
        for (OpsLane lane : lanes) {
            if (lane.claim(pid)) {
                return new OpsPoster(this, lane, postTimeoutNs);
            }
        }
        throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + ": all " + lanes.length
                + " lanes of the ops pool are taken; close a poster or raise " + CoreOptions.LANES);
    }

    /**
     * The consuming end; the progress agent's.
     *
     * @return over all lanes
     */
    public OpsFetcher fetcher() {
        return new OpsFetcher(this, lanes);
    }

    /**
     * What to do when something was posted while the consumer waits; for whoever runs the consumer.
     *
     * @param wakeup called by posting threads
     */
    public void onWakeup(Runnable wakeup) {
        this.wakeup = wakeup;
    }

    /**
     * Checks that no op was lost or doubled. Any thread, at any time: each word only grows, and is read after those
     * that may not pass it.
     *
     * @throws ProxyException {@link ProxyResult#INTERNAL_ERROR} naming the lane whose books do not balance
     */
    public void audit() {
        for (OpsLane lane : lanes) {
            long completed = lane.completed();
            long fetched = lane.fetched();
            long posted = lane.posted();
            if (completed > fetched || fetched > posted || posted - lane.completed() > lane.capacity()) {
                throw new ProxyException(ProxyResult.INTERNAL_ERROR, "rank " + rank + ", lane " + lane.index()
                        + ": posted " + posted + ", fetched " + fetched + ", completed " + completed + ", capacity "
                        + lane.capacity() + " do not balance");
            }
        }
    }

    /**
     * Ops that were posted and have not ended, over all lanes. Any thread.
     *
     * @return pending + in flight
     */
    public long outstanding() {
        long sum = 0;
        for (OpsLane lane : lanes) {
            sum -= lane.completed();
            sum += lane.posted();
        }
        return sum;
    }

    /** Unmaps and deletes the file. Posters must be closed before. Idempotent. */
    @Override
    public void close() {
        file.close();
    }

    int rank() {
        return rank;
    }

    void signalPosted() {
        // Full fence: the store of posted must be visible before this load of waiting, or both sides could miss each
        // other; pairs with the fence in awaitPosted.
        VarHandle.fullFence();
        if ((int) INT.getOpaque(memory, OpsPoolDescriptor.WAITING_OFFSET) != 0) {
            wakeup.run();
        }
    }

    void waiting(boolean isWaiting) {
        INT.setOpaque(memory, OpsPoolDescriptor.WAITING_OFFSET, isWaiting ? 1 : 0);
        VarHandle.fullFence();
    }
}
