/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.bootstrap;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;

/**
 * Tells of connections that were not ranks of this job: the first of a host and a reason as a warning, later ones for
 * debugging only, so that a health check which knocks every second does not fill the log.
 */
final class StrangerLog {
    private static final int MAX_KNOWN = 256;
    private final Logger log;
    private final Set<String> known = new HashSet<>();

    StrangerLog(Logger log) {
        this.log = log;
    }

    /** One stranger was turned away; the category is the reason without its numbers. */
    void turnedAway(SocketAddress remote, String category, String detail, byte[] sent) {
        final String what = sent.length == 0 ? "it sent nothing" : "it sent " + Wording.printable(sent);
        final String host = remote instanceof InetSocketAddress inet ? inet.getHostString() : String.valueOf(remote);
        if (known.size() < MAX_KNOWN && known.add(host + "/" + category)) {
            log.warn("closed a connection from {}, which is not a rank of this job: {}; {}", Wording.address(remote),
                    detail, what);
        } else {
            log.debug("closed another connection from {}: {}; {}", Wording.address(remote), detail, what);
        }
    }
}
