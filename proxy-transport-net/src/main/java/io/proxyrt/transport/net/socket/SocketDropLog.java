/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Tells whom a door has dropped: a warning a second at most, for a scan, or a firewall that resets what is dialled
 * again, makes hundreds. All of them are told for debugging. One thread.
 */
final class SocketDropLog {
    private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(1);

    private final Logger log;
    private long warnedNs;
    private boolean hasWarned;
    private int untold;

    SocketDropLog(Logger log) {
        this.log = log;
    }

    void dropped(SocketAddress address, String why, long nowNs) {
        if (hasWarned && nowNs - warnedNs < QUIET_NS) {
            untold++;
            log.debug("dropped a connection from {}: {}", SocketChannels.text(address), why);
            return;
        }
        log.warn("dropped a connection from {}: {}{}", SocketChannels.text(address), why,
                untold == 0 ? "" : "; and " + untold + " more before it");
        hasWarned = true;
        warnedNs = nowNs;
        untold = 0;
    }
}
