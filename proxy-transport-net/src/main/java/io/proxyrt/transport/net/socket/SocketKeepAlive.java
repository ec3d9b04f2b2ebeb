/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.SocketOptions;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;

/**
 * How the system looks after connections on which nothing moves.
 *
 * @param idleSeconds     silence before the first question; 0 for none
 * @param intervalSeconds between questions
 * @param count           unanswered ones that end the connection
 */
record SocketKeepAlive(int idleSeconds, int intervalSeconds, int count) {
    /** The longest that Linux takes. */
    private static final int MAX_SECONDS = 32_767;
    /** And the most questions. */
    private static final int MAX_COUNT = 127;
    /** Questions within the budget of a connection that broke. */
    private static final int QUESTIONS_PER_BUDGET = 8;

    static SocketKeepAlive of(ProxyConfig config) {
        SocketKeepAlive asked = new SocketKeepAlive(seconds(config.get(SocketOptions.KEEPALIVE_IDLE), 0),
                seconds(config.get(SocketOptions.KEEPALIVE_INTERVAL), 1), config.get(SocketOptions.KEEPALIVE_COUNT));
        Duration budget = config.get(SocketOptions.RESUME);
        return budget.isZero() ? asked : asked.within(budget);
    }

    /**
     * Asks often enough for a sender that has nothing to send to learn within the budget that the receiver's end alone
     * broke, for the sender has to dial again. A silent host is given up as late as was asked, or after the most
     * questions.
     */
    private SocketKeepAlive within(Duration budget) {
        int longest = seconds(budget.dividedBy(QUESTIONS_PER_BUDGET), 1);
        int idle = Math.min(idleSeconds, longest);
        int interval = Math.min(intervalSeconds, longest);
        int untilGivenUp = idleSeconds + intervalSeconds * count;
        return new SocketKeepAlive(idle, interval, Math.min(Math.ceilDiv(untilGivenUp - idle, interval), MAX_COUNT));
    }

    void applyTo(SocketChannel channel) throws IOException {
        if (idleSeconds == 0) {
            return;
        }
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, idleSeconds);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, intervalSeconds);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, count);
        }
    }

    private static int seconds(Duration duration, int least) {
        long roundedUp = duration.plusMillis(999).toSeconds();
        return Math.clamp(roundedUp, least, MAX_SECONDS);
    }
}
