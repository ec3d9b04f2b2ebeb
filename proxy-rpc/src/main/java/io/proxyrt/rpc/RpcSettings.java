/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.UserFilter;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import java.time.Duration;

/**
 * Who we are and what we put up with.
 *
 * @param self         this runtime
 * @param secret       that peers have to prove
 * @param users        of this host who may be peers
 * @param limits       of the service, and of the frames that its clients take
 * @param tls          of the sessions
 * @param helloTimeout for a caller to authenticate here
 * @param openTimeout  for opening a session elsewhere
 * @param spin         how long a blocking caller polls before it sleeps
 */
record RpcSettings(PeerId self, JobSecret secret, UserFilter users, RpcLimits limits, RpcTls tls,
                   Duration helloTimeout, Duration openTimeout, Duration spin) {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    RpcSettings {
        if (helloTimeout.compareTo(SHORTEST) < 0 || helloTimeout.compareTo(LONGEST) > 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    RpcOptions.HELLO_TIMEOUT + " is " + helloTimeout + ": must be in 1ms..60m");
        }
        if (spin.compareTo(LONGEST) > 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, RpcOptions.SPIN + " is " + spin
                    + ": must be in 0..60m");
        }
    }

    static RpcSettings of(ProxyConfig config, PeerId self, JobSecret secret) {
        return new RpcSettings(self, secret, UserFilter.of(config), RpcLimits.of(config), RpcTls.of(config),
                config.get(RpcOptions.HELLO_TIMEOUT), near(config.get(CoreOptions.CONNECT_TIMEOUT)),
                config.get(RpcOptions.SPIN));
    }

    /** With another time for opening a session, as near to it as the limits allow. */
    RpcSettings withOpenTimeout(Duration timeout) {
        return new RpcSettings(self, secret, users, limits, tls, helloTimeout, near(timeout), spin);
    }

    private static Duration near(Duration timeout) {
        return timeout.compareTo(SHORTEST) < 0 ? SHORTEST : timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
    }

    long spinNs() {
        return spin.toNanos();
    }

    int rank() {
        return self.rank();
    }

    long helloTimeoutNs() {
        return helloTimeout.toNanos();
    }

    @Override
    public String toString() {
        return "rank " + rank();
    }
}
