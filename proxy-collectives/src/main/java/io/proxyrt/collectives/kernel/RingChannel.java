/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/** What the kernels that take turns on one channel share: its connections, in each protocol, and scratch memory. */
final class RingChannel {
    private final SimplePrimitives simple;
    private final Primitives[] byProtocol = new Primitives[Protocol.values().length];
    private final Reductions reductions;
    private final long keptBytes;
    private final MemorySegment kept;

    /**
     * A channel.
     *
     * @param nRanks in the ring
     * @param recv   from the predecessor; null if nRanks is 1
     * @param send   to the successor; null if nRanks is 1
     */
    RingChannel(int nRanks, DeviceConnection recv, DeviceConnection send) {
        this.reductions = new Reductions(nRanks);
        this.simple = nRanks == 1 ? null : new SimplePrimitives(recv, send);
        for (Protocol protocol : Protocol.values()) {
            if (nRanks > 1 && send.buffer(protocol) != null) {
                byProtocol[protocol.ordinal()] = protocol == Protocol.SIMPLE ? simple
                        : new LinePrimitives(protocol, recv, send);
            }
        }
        this.keptBytes = Arrays.stream(byProtocol).filter(Objects::nonNull).mapToLong(Primitives::dataBytes).max()
                .orElse(0);
        this.kept = nRanks < 3 ? null : Arena.ofAuto().allocate(nRanks * keptBytes, Long.BYTES);
    }

    Primitives primitives(Protocol protocol) {
        return byProtocol[protocol.ordinal()];
    }

    SimplePrimitives simple() {
        return simple;
    }

    Reductions reductions() {
        return reductions;
    }

    /** Gathering: the inputs of all ranks, a slice of each. */
    MemorySegment kept() {
        return kept;
    }

    long keptOffset(int origin) {
        return origin * keptBytes;
    }
}
