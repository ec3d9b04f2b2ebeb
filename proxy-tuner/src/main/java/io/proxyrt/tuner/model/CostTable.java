/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.DataType;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TimeTable;
import io.proxyrt.tuner.Way;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What each algorithm and protocol costs a communicator for a function, and how long a call takes by them. Immutable.
 */
public final class CostTable {
    /** Longer rings lose too much of 8-bit floats, by NCCL's opinion. */
    private static final int MAX_FLOAT8_RING = 8;
    private static final double FLOAT8_PENALTY = 1024;
    /** Bytes whose binary logarithm sizes are numbered by: 64, 128 ... are 0, 1 ... */
    private static final int LOG_FIRST_SIZE = 6;

    private final Map<Way, Cost> costs;
    private final Correction correction;
    private final int ranks;
    private final int batch;

    /**
     * A table.
     *
     * @param costs      of the ways that are possible
     * @param correction for sizes
     * @param ranks      of the communicator
     * @param batch      collectives of a group that go together, except in rings
     */
    CostTable(Map<Way, Cost> costs, Correction correction, int ranks, int batch) {
        this.costs = Map.copyOf(costs);
        this.correction = correction;
        this.ranks = ranks;
        this.batch = batch;
    }

    /** What the size of a call makes of a way's cost. */
    interface Correction {
        /** No bandwidth at all means that the way is not possible for this size. */
        Cost apply(Way way, Cost cost, long bytes);
    }

    /** The number of a size: 0 for 64 bytes, one more for each doubling; -1 below. */
    static int sizeClass(long bytes) {
        long first = bytes >> LOG_FIRST_SIZE;
        return first == 0 ? -1 : Long.SIZE - 1 - Long.numberOfLeadingZeros(first);
    }

    /**
     * What a way costs before the size of a call is known.
     *
     * @param way any
     * @return empty if it is not possible
     */
    public Optional<Cost> cost(Way way) {
        return Optional.ofNullable(costs.get(way));
    }

    /**
     * How long a call takes.
     *
     * @param way  any
     * @param call what is called
     * @return µs; {@link TimeTable#IGNORED} if the way is not possible
     */
    public double timeUs(Way way, CollInfo call) {
        Cost cost = costs.get(way);
        Cost corrected = cost == null ? null : correction.apply(way, cost, call.bytes());
        if (corrected == null || corrected.bandwidthGBs() <= 0) {
            return TimeTable.IGNORED;
        }
        boolean isRing = way.algorithm() == NcclAlgorithm.RING;
        long latencies = isRing ? call.pipeOps() : Math.ceilDiv(call.pipeOps(), batch);
        double timeUs = corrected.latencyUs() * latencies + call.bytes() / (1000 * corrected.bandwidthGBs());
        return isRing && ranks > MAX_FLOAT8_RING && isFloat8(call.type()) ? timeUs * FLOAT8_PENALTY : timeUs;
    }

    /**
     * How long a call takes by each way.
     *
     * @param call what is called
     * @return the caller's own
     */
    public TimeTable times(CollInfo call) {
        TimeTable times = new TimeTable();
        costs.keySet().forEach(way -> times.set(way, timeUs(way, call)));
        return times;
    }

    /** Of those ways for which there is a cost. */
    static Map<Way, Cost> collect(Function<Way, Optional<Cost>> costOf) {
        Map<Way, Cost> costs = new HashMap<>();
        Way.all().forEach(way -> costOf.apply(way).filter(cost -> cost.bandwidthGBs() > 0)
                .ifPresent(cost -> costs.put(way, cost)));
        return costs;
    }

    private static boolean isFloat8(DataType type) {
        return type == DataType.FLOAT8_E4M3 || type == DataType.FLOAT8_E5M2;
    }
}
