/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.UserFilter;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import java.time.Duration;

/**
 * What we put up with.
 *
 * @param users           whose processes may connect
 * @param maxConnections  accepted at one time
 * @param maxHalfOpen     not accepted yet at one time
 * @param helloTimeoutNs  for a peer to prove who it is
 * @param answerTimeoutNs for reading an answer
 * @param spinNs          before a caller sleeps
 */
record UdsSettings(UserFilter users, int maxConnections, int maxHalfOpen, long helloTimeoutNs, long answerTimeoutNs,
                   long spinNs) {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration LONGEST_SPIN = Duration.ofSeconds(1);

    static UdsSettings of(ProxyConfig config, int ownUid) {
        return new UdsSettings(UserFilter.of(config, ownUid), config.get(UdsOptions.MAX_CONNECTIONS),
                config.get(UdsOptions.MAX_HALF_OPEN), timeoutNs(config, UdsOptions.HELLO_TIMEOUT),
                timeoutNs(config, UdsOptions.ANSWER_TIMEOUT), spinNs(config));
    }

    private static long timeoutNs(ProxyConfig config, Option<Duration> option) {
        Duration timeout = config.get(option);
        if (timeout.compareTo(SHORTEST) < 0 || timeout.compareTo(LONGEST) > 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    option + " is " + timeout + ": must be in 1ms..60m");
        }
        return timeout.toNanos();
    }

    private static long spinNs(ProxyConfig config) {
        Duration spin = config.get(UdsOptions.SPIN);
        if (spin.compareTo(LONGEST_SPIN) > 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    UdsOptions.SPIN + " is " + spin + ": must be in 0..1s");
        }
        return spin.toNanos();
    }
}
