/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;

/** Messages through shared memory to the kernel of another process and back, by one of the protocols. */
final class ShmRoundTripRig {
    private final RigArguments arguments;

    ShmRoundTripRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        String protocol = arguments.text("protocol");
        try (ShmPeer peer = new ShmPeer(arguments)) {
            SlotMessages messages = SlotMessages.of(protocol, peer.end());
            return new RoundTrips(messages, bytes -> peer.tell("echo " + protocol + ' ' + bytes)).measure(arguments);
        }
    }
}
