/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Optional;

/** The words that all lanes of a pool share, as {@link OpsPoolDescriptor} lays them out. */
final class OpsPoolHeader {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;
    private final int rank;

    private OpsPoolHeader(MemorySegment memory) {
        this.memory = memory;
        this.rank = memory.get(ValueLayout.JAVA_INT, OpsPoolDescriptor.RANK_OFFSET);
    }

    /** Fills the header of a new pool. */
    static OpsPoolHeader create(MemorySegment memory, OpsPoolKind kind, int rank, int lanes, int capacity) {
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.VERSION_OFFSET, OpsPoolDescriptor.VERSION);
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.LANES_OFFSET, lanes);
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.CAPACITY_OFFSET, capacity);
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.OP_BYTES_OFFSET, ProxyOpDescriptor.BYTES);
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.RANK_OFFSET, rank);
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.KIND_OFFSET, kind.ordinal());
        ProcessIdentity self = ProcessIdentity.current();
        memory.set(ValueLayout.JAVA_LONG, OpsPoolDescriptor.PROCESS_OFFSET, self.pid());
        memory.set(ValueLayout.JAVA_LONG, OpsPoolDescriptor.PROCESS_OFFSET + Long.BYTES, self.start());
        memory.set(ValueLayout.JAVA_LONG, OpsPoolDescriptor.PROCESS_OFFSET + 2 * Long.BYTES, self.namespace());
        OpsPoolHeader header = new OpsPoolHeader(memory);
        header.tick(System.nanoTime());
        // Release: pairs with the acquire in open; a reader that sees the magic sees the rest.
        LONG.setRelease(memory, OpsPoolDescriptor.MAGIC_OFFSET, OpsPoolDescriptor.MAGIC);
        return header;
    }

    /** Looks at the header of another process's pool. Throws unless a poster can use it as it is. */
    static OpsPoolHeader open(MemorySegment memory, Object source) {
        require(memory.byteSize() >= OpsPoolDescriptor.HEADER_BYTES, source, "it is too short");
        require((long) LONG.getAcquire(memory, OpsPoolDescriptor.MAGIC_OFFSET) == OpsPoolDescriptor.MAGIC, source,
                "it does not begin like one");
        int version = memory.get(ValueLayout.JAVA_INT, OpsPoolDescriptor.VERSION_OFFSET);
        require(version == OpsPoolDescriptor.VERSION, source,
                "it has version " + version + ", not " + OpsPoolDescriptor.VERSION);
        int opBytes = memory.get(ValueLayout.JAVA_INT, OpsPoolDescriptor.OP_BYTES_OFFSET);
        require(opBytes == ProxyOpDescriptor.BYTES, source, "its ops have " + opBytes + " bytes, not "
                + ProxyOpDescriptor.BYTES);
        int kind = memory.get(ValueLayout.JAVA_INT, OpsPoolDescriptor.KIND_OFFSET);
        require(kind == OpsPoolKind.LANES.ordinal(), source,
                "it is not of kind " + OpsPoolKind.LANES + ", the only one that other processes can post to");
        OpsPoolHeader header = new OpsPoolHeader(memory);
        int lanes = header.lanes();
        int capacity = header.capacity();
        require(lanes > 0 && capacity > 1 && Integer.bitCount(capacity) == 1
                && memory.byteSize() == OpsPoolDescriptor.fileBytes(lanes, capacity), source,
                lanes + " lanes of " + capacity + " ops do not fit its " + memory.byteSize() + " bytes");
        require(header.isProxyAlive() && !header.isClosed(), source, "its proxy is gone");
        return header;
    }

    /** Empty if other processes cannot post. */
    Optional<OpsPoolAddress> address(Path path) {
        if (memory.get(ValueLayout.JAVA_INT, OpsPoolDescriptor.KIND_OFFSET) != OpsPoolKind.LANES.ordinal()) {
            return Optional.empty();
        }
        return Optional.of(new OpsPoolAddress(path, OpsPoolDescriptor.VERSION,
                OpsPoolDescriptor.fileBytes(lanes(), capacity()), owner()));
    }

    /** Refuses a pool that is not the one that was announced. */
    void require(OpsPoolAddress announced) {
        require(memory.byteSize() == announced.bytes(), announced.path(),
                "it has " + memory.byteSize() + " bytes, and " + announced.bytes() + " were announced");
        require(announced.version() == OpsPoolDescriptor.VERSION, announced.path(), "version " + announced.version()
                + " was announced, this is " + OpsPoolDescriptor.VERSION);
        require(owner().equals(announced.owner()), announced.path(), "it is of " + owner() + ", not of "
                + announced.owner());
    }

    /** Finds a lane for a poster of this process. */
    OpsLane claim(OpsLane[] lanes, boolean isMute) {
        for (OpsLane lane : lanes) {
            if (lane.claim(ProcessIdentity.current(), isMute)) {
                return lane;
            }
        }
        throw new ProxyException(ProxyResult.INVALID_USAGE, this + ": all " + lanes.length
                + " lanes are taken; close a poster or raise " + CoreOptions.LANES);
    }

    int lanes() {
        return memory.get(ValueLayout.JAVA_INT, OpsPoolDescriptor.LANES_OFFSET);
    }

    int capacity() {
        return memory.get(ValueLayout.JAVA_INT, OpsPoolDescriptor.CAPACITY_OFFSET);
    }

    /** Whose progress agent consumes. */
    ProcessIdentity owner() {
        return OpsPoolDescriptor.process(memory, OpsPoolDescriptor.PROCESS_OFFSET);
    }

    boolean isProxyAlive() {
        return owner().isAlive();
    }

    /** Acquire; pairs with {@link #close()}. */
    boolean isClosed() {
        return (int) INT.getAcquire(memory, OpsPoolDescriptor.CLOSED_OFFSET) != 0;
    }

    /** Tells posters that the proxy has left; nothing is left to tell once the memory is unmapped. */
    void close() {
        if (memory.scope().isAlive()) {
            INT.setRelease(memory, OpsPoolDescriptor.CLOSED_OFFSET, 1);
        }
    }

    void tick(long nowNs) {
        LONG.setOpaque(memory, OpsPoolDescriptor.TICK_OFFSET, nowNs);
    }

    long msSinceTick() {
        return (System.nanoTime() - (long) LONG.getOpaque(memory, OpsPoolDescriptor.TICK_OFFSET)) / 1_000_000;
    }

    private static void require(boolean condition, Object source, String otherwise) {
        if (!condition) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, source + " is no ops pool to post to: " + otherwise);
        }
    }

    int rank() {
        return rank;
    }

    @Override
    public String toString() {
        return "ops pool of rank " + rank;
    }
}
