/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.platform.HostName;
import java.io.EOFException;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How a switch words what went wrong. */
final class SwitchText {
    private static final int MAX_NAMED = 16;

    private SwitchText() {
    }

    /** What happened to a connection. */
    static String of(Exception how) {
        return how.getMessage() == null ? how.toString() : how.getMessage();
    }

    /** How a connection was lost, and when. */
    static String lost(Link link, Exception how, String where) {
        return how instanceof EOFException ? link + " closed its connection" + where
                : link + where + ": " + of(how);
    }

    /** Where others find what listens here: a wildcard leads them nowhere, so they are told the host's name. */
    static String address(InetSocketAddress listening) {
        return PeerText.address(listening.getAddress().isAnyLocalAddress()
                ? InetSocketAddress.createUnresolved(HostName.full(), listening.getPort()) : listening);
    }

    /** Which participants have not joined. */
    static String missing(BitSet joined, int nRanks) {
        final String named = IntStream.range(0, nRanks).filter(rank -> !joined.get(rank)).limit(MAX_NAMED)
                .mapToObj(String::valueOf).collect(Collectors.joining(", "));
        final int more = nRanks - joined.cardinality() - MAX_NAMED;
        return "of its " + nRanks + " participants these did not come: " + named
                + (more > 0 ? " and " + more + " more" : "");
    }
}
