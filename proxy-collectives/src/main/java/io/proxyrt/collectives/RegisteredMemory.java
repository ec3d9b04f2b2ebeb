/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A piece of the user's memory, and the handles by which each connection knows it. Confined to the caller's thread. */
final class RegisteredMemory {
    final DeviceMemory memory;
    /** By channel: with the ring's connections; 0 where there is no connection to register with. */
    final long[] ringSend;
    final long[] ringRecv;
    /** With the connection to the network that carries out collectives; 0 if there is none to register with. */
    long collNet;
    /** By rank: with the point-to-point connections; 0 where there is none. */
    final long[] peerSend;
    final long[] peerRecv;
    /** By rank: as its kernels know it. */
    final DirectHandle[] direct;
    /** All of those of this rank's own proxy, for giving them back. */
    final List<Handle> handles = new ArrayList<>();
    private final MemorySegment.Scope scope;
    private final long address;
    private final long bytes;

    /** A handle and the connection it belongs to. */
    record Handle(long connection, long handle) {
    }

    RegisteredMemory(DeviceMemory memory, int channels, int nRanks) {
        this.memory = Objects.requireNonNull(memory);
        this.scope = memory.range().scope();
        this.address = memory.range().address();
        this.bytes = memory.range().byteSize();
        this.ringSend = new long[channels];
        this.ringRecv = new long[channels];
        this.direct = new DirectHandle[nRanks];
        this.peerSend = new long[nRanks];
        this.peerRecv = new long[nRanks];
    }

    long address() {
        return address;
    }

    /** False too once the memory was freed: others may have its address by now, which peers would not see. */
    boolean holds(MemorySegment segment, long length) {
        long offset = segment.address() - address;
        return offset >= 0 && offset <= bytes - length && scope.isAlive();
    }

    long offset(MemorySegment segment) {
        return segment.address() - address;
    }
}
