/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;

/**
 * What a switch spends. Immutable.
 *
 * @param threads            that carry out collectives, 1 to 64; another one accepts connections
 * @param jobBytes           most memory of a group, from when it is complete; at least {@link #MIN_JOB_BYTES}
 * @param maxJobs            most groups at a time
 * @param maxUnauthenticated most connections that have not authenticated yet; one more costs the host that has most
 *                           of them its oldest
 * @param handshakeTimeout   how long one may take to authenticate
 * @param joinTimeout        how long a group waits for its last participant, unless a participant waits for less
 */
public record SwitchLimits(int threads, long jobBytes, int maxJobs, int maxUnauthenticated, Duration handshakeTimeout,
        Duration joinTimeout) {
    /** Least memory of a group. */
    public static final long MIN_JOB_BYTES = (long) ChunkSize.MIN_BYTES * ChunkSize.MOST_CHUNKS;
    /** Still fits in nanoseconds when it is added to a time. */
    static final Duration LONGEST = Duration.ofDays(36_500);
    private static final int MAX_THREADS = 64;
    private static final SwitchLimits DEFAULTS = new SwitchLimits(1, 4 << 20, 256, 256, Duration.ofSeconds(10),
            Duration.ofSeconds(30));

    /**
     * Checked limits.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} naming the one that is out of its range
     */
    public SwitchLimits {
        check(threads >= 1 && threads <= MAX_THREADS, "threads must be within 1 to " + MAX_THREADS, threads);
        check(jobBytes >= MIN_JOB_BYTES, "jobBytes must be at least " + MIN_JOB_BYTES, jobBytes);
        check(maxJobs >= 1, "maxJobs must be positive", maxJobs);
        check(maxUnauthenticated >= 1, "maxUnauthenticated must be positive", maxUnauthenticated);
        check(isTime(handshakeTimeout), "handshakeTimeout must be positive, and a century at most", handshakeTimeout);
        check(isTime(joinTimeout), "joinTimeout must be positive, and a century at most", joinTimeout);
    }

    /**
     * One thread, 4 MiB a group, 256 groups, 256 unauthenticated connections, 10 seconds for a handshake, 30 for a
     * group to be complete.
     *
     * @return the defaults
     */
    public static SwitchLimits defaults() {
        return DEFAULTS;
    }

    /**
     * The same with other threads.
     *
     * @param number of threads
     * @return a changed copy
     */
    public SwitchLimits withThreads(int number) {
        return new SwitchLimits(number, jobBytes, maxJobs, maxUnauthenticated, handshakeTimeout, joinTimeout);
    }

    /**
     * The same with other memory.
     *
     * @param bytes most of a group
     * @return a changed copy
     */
    public SwitchLimits withJobBytes(long bytes) {
        return new SwitchLimits(threads, bytes, maxJobs, maxUnauthenticated, handshakeTimeout, joinTimeout);
    }

    /**
     * The same with other numbers.
     *
     * @param jobs            most groups
     * @param unauthenticated most connections that have not authenticated
     * @return a changed copy
     */
    public SwitchLimits withMost(int jobs, int unauthenticated) {
        return new SwitchLimits(threads, jobBytes, jobs, unauthenticated, handshakeTimeout, joinTimeout);
    }

    /**
     * The same with other times.
     *
     * @param handshake of a connection
     * @param join      of a group
     * @return a changed copy
     */
    public SwitchLimits withTimeouts(Duration handshake, Duration join) {
        return new SwitchLimits(threads, jobBytes, maxJobs, maxUnauthenticated, handshake, join);
    }

    private static boolean isTime(Duration timeout) {
        return timeout.isPositive() && timeout.compareTo(LONGEST) <= 0;
    }

    private static void check(boolean isValid, String rule, Object value) {
        if (!isValid) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, rule + ", not " + value);
        }
    }
}
