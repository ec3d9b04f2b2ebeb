/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;

/** Messages of a communicator to another process and back. */
final class CommRoundTripRig {
    private final RigArguments arguments;

    CommRoundTripRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        try (CommPeer peer = new CommPeer(arguments)) {
            return new RoundTrips(peer.end(), bytes -> peer.tell("echo " + bytes)).measure(arguments);
        }
    }
}
