/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.reduction.Reductions;
import java.lang.foreign.MemorySegment;

/** What the kernels that take turns on one channel share: its connections, in each protocol, and scratch memory. */
final class RingChannel {
    private final SimplePrimitives simple;
    private final Primitives[] byProtocol = new Primitives[Protocol.values().length];
    private final Reductions reductions;
    private final int nRanks;
    private final Scratch scratch = new Scratch();
    private final Scratch scaled = new Scratch();
    private MemorySegment kept;
    private long keptBytes;

    /**
     * A channel.
     *
     * @param nRanks in the ring
     * @param recv   from the predecessor; null if nRanks is 1
     * @param send   to the successor; null if nRanks is 1
     * @param divisor of averages
     */
    RingChannel(int nRanks, DeviceConnection recv, DeviceConnection send, int divisor) {
        this.nRanks = nRanks;
        this.reductions = new Reductions(divisor);
        this.simple = nRanks == 1 ? null : new SimplePrimitives(recv, send);
        for (Protocol protocol : Protocol.values()) {
            if (nRanks > 1 && send.buffer(protocol) != null) {
                byProtocol[protocol.ordinal()] = protocol == Protocol.SIMPLE ? simple
                        : new LinePrimitives(protocol, recv, send);
            }
        }
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

    /** Room for a slice of this rank's input that is multiplied before it is sent. */
    MemorySegment scaled(long bytes) {
        return scaled.of(bytes);
    }

    /** Gathering: makes room for the inputs of all ranks; before a block begins, on the thread that runs the stream. */
    void keep(long sliceBytes) {
        kept = scratch.of(nRanks * sliceBytes);
        keptBytes = sliceBytes;
    }

    /** Gathering: the inputs of all ranks, a slice of each. */
    MemorySegment kept() {
        return kept;
    }

    long keptOffset(int origin) {
        return origin * keptBytes;
    }
}
