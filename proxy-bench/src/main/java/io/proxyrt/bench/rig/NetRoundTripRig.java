/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;

/** Messages over the socket network to another process and back. */
final class NetRoundTripRig {
    private final RigArguments arguments;

    NetRoundTripRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        try (NetPeer peer = NetPeer.start("echo", arguments); NetEnd end = peer.connect()) {
            return new RoundTrips(new NetMessages(end), bytes -> peer.tell("echo", bytes)).measure(arguments);
        }
    }
}
