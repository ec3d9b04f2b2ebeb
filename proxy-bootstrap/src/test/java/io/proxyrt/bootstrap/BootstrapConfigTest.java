/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BootstrapConfigTest {
    private final BootstrapConfig defaults = BootstrapConfig.defaults();

    @Test
    void shouldNameTheComponentThatIsOutOfRange() {
        Jobs.assertFails(ProxyResult.INVALID_ARGUMENT,
                () -> defaults.withHeartbeat(Duration.ZERO, Duration.ofSeconds(1)), "heartbeatInterval");
        Jobs.assertFails(ProxyResult.INVALID_ARGUMENT,
                () -> defaults.withHeartbeat(Duration.ofSeconds(1), Duration.ofMillis(1999)), "silenceLimit");
        Jobs.assertFails(ProxyResult.INVALID_ARGUMENT, () -> defaults.withHandshakeTimeout(null), "handshakeTimeout");
        Jobs.assertFails(ProxyResult.INVALID_ARGUMENT, () -> defaults.withLimits(1, 1 << 20), "maxFrameBytes");
        Jobs.assertFails(ProxyResult.INVALID_ARGUMENT, () -> defaults.withLimits(1 << 20, 1 << 19), "maxQueuedBytes");
        Jobs.assertFails(ProxyResult.INVALID_ARGUMENT, () -> defaults.withMaxUnauthenticated(0), "maxUnauthenticated");
    }

    @Test
    void shouldChangeOnlyWhatItIsAskedTo() {
        assertEquals(defaults, defaults.withHeartbeat(Duration.ofSeconds(1), Duration.ofSeconds(30))
                .withHandshakeTimeout(Duration.ofSeconds(10)).withLimits(1 << 20, 64 << 20)
                .withMaxUnauthenticated(256));
    }
}
