/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;

/**
 * The limits and intervals of one job's bootstrap. Only the root is configured: it tells the ranks when they join, so
 * that both sides always agree. Immutable.
 *
 * @param heartbeatInterval how often each side sends a sign of life; 1 ms to 1 h
 * @param silenceLimit      how long a side may be silent before it counts as dead; at least twice the interval, at most
 *                          24 h. A JVM that pauses for longer than this is given up. For the link of a rank that
 *                          {@linkplain BootstrapOptions#SILENCE_TIMEOUT says} another, that
 * @param handshakeTimeout  how long a new connection may take to say which rank it is
 * @param maxFrameBytes     the longest frame body, and so, less a few bytes of header, the longest blob; 8 KiB to 64
 *                          MiB
 * @param maxQueuedBytes    the most that waits for one rank: in the root to be sent to it, or in the rank to be
 *                          received; at least {@code maxFrameBytes}. A rank that exceeds it is failed rather than
 *                          memory exhausted
 * @param maxUnauthenticated how many unauthenticated connections there may be; one more closes the oldest one of the
 *                          address that has most of them
 */
public record BootstrapConfig(Duration heartbeatInterval, Duration silenceLimit, Duration handshakeTimeout,
        int maxFrameBytes, int maxQueuedBytes, int maxUnauthenticated) {
    static final int MIN_FRAME_BYTES = 8 << 10;
    static final int MAX_FRAME_BYTES = 64 << 20;
    private static final Duration HEARTBEAT_A_RANK = Duration.ofNanos(100_000);
    static final Duration MAX_SILENCE = Duration.ofHours(24);
    private static final BootstrapConfig DEFAULTS = new BootstrapConfig(Duration.ofSeconds(1), Duration.ofSeconds(30),
            Duration.ofSeconds(10), 1 << 20, 64 << 20, 256);

    /**
     * A checked configuration.
     *
     * @throws ProxyException {@code INVALID_ARGUMENT} naming the component that is out of its range
     */
    public BootstrapConfig {
        check(isWithin(heartbeatInterval, Duration.ofMillis(1), Duration.ofHours(1)),
                "heartbeatInterval must be within 1 ms to 1 h", heartbeatInterval);
        check(isWithin(silenceLimit, heartbeatInterval.multipliedBy(2), MAX_SILENCE),
                "silenceLimit must be at least twice the heartbeat interval, and at most 24 h", silenceLimit);
        check(isWithin(handshakeTimeout, Duration.ofMillis(1), Duration.ofHours(1)),
                "handshakeTimeout must be within 1 ms to 1 h", handshakeTimeout);
        check(maxFrameBytes >= MIN_FRAME_BYTES && maxFrameBytes <= MAX_FRAME_BYTES,
                "maxFrameBytes must be within 8 KiB to 64 MiB", maxFrameBytes);
        check(maxQueuedBytes >= maxFrameBytes, "maxQueuedBytes must be at least maxFrameBytes", maxQueuedBytes);
        check(maxUnauthenticated > 0, "maxUnauthenticated must be positive", maxUnauthenticated);
    }

    /**
     * Heartbeats every second, death after 30 seconds of silence, ten seconds for a handshake, frames of up to 1 MiB,
     * 64 MiB in a queue, 256 unauthenticated connections.
     *
     * @return the defaults
     */
    public static BootstrapConfig defaults() {
        return DEFAULTS;
    }

    /**
     * The same with other heartbeats.
     *
     * @param interval how often a sign of life is sent
     * @param limit    how long a silence counts as death
     * @return a changed copy
     */
    public BootstrapConfig withHeartbeat(Duration interval, Duration limit) {
        return new BootstrapConfig(interval, limit, handshakeTimeout, maxFrameBytes, maxQueuedBytes,
                maxUnauthenticated);
    }

    /**
     * The same with another time for handshakes.
     *
     * @param timeout how long a connection may take to say which rank it is
     * @return a changed copy
     */
    public BootstrapConfig withHandshakeTimeout(Duration timeout) {
        return new BootstrapConfig(heartbeatInterval, silenceLimit, timeout, maxFrameBytes, maxQueuedBytes,
                maxUnauthenticated);
    }

    /**
     * The same with other limits of size.
     *
     * @param frameBytes  the longest frame body
     * @param queuedBytes the most that waits for one rank
     * @return a changed copy
     */
    public BootstrapConfig withLimits(int frameBytes, int queuedBytes) {
        return new BootstrapConfig(heartbeatInterval, silenceLimit, handshakeTimeout, frameBytes, queuedBytes,
                maxUnauthenticated);
    }

    /**
     * The same with another number of connections that have not said who they are.
     *
     * @param most at least one
     * @return a changed copy
     */
    public BootstrapConfig withMaxUnauthenticated(int most) {
        return new BootstrapConfig(heartbeatInterval, silenceLimit, handshakeTimeout, maxFrameBytes, maxQueuedBytes,
                most);
    }

    /** For so many ranks: the root has but so much time for heartbeats, and three go into a silence. */
    BootstrapConfig forRanks(int nRanks) {
        final Duration wanted = HEARTBEAT_A_RANK.multipliedBy(nRanks);
        final Duration most = silenceLimit.dividedBy(3);
        final Duration slower = wanted.compareTo(most) < 0 ? wanted : most;
        return slower.compareTo(heartbeatInterval) <= 0 ? this : withHeartbeat(slower, silenceLimit);
    }

    private static boolean isWithin(Duration value, Duration least, Duration most) {
        return value != null && value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
    }

    private static void check(boolean isValid, String rule, Object value) {
        if (!isValid) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, rule + ": " + value);
        }
    }
}
