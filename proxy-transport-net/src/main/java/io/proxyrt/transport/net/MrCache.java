/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Memory registered with a comm, or with all comms of a device: RCCL's MR cache. Memory that lies within a range that
 * is registered already is not registered again; the range is given back with its last user. A range whose memory was
 * freed is not used any more, even if new memory has the same addresses. Service thread.
 */
final class MrCache implements AutoCloseable {
    private final List<Entry> entries = new ArrayList<>();

    private static final class Entry {
        private final NetMemory memory;
        private final long address;
        private final long bytes;
        private int users;

        Entry(NetMemory memory) {
            this.memory = memory;
            this.address = memory.segment().address();
            this.bytes = memory.segment().byteSize();
        }

        boolean contains(MemorySegment range) {
            MemorySegment own = memory.segment();
            return own.scope().isAlive() && own.scope().equals(range.scope()) && range.address() >= address
                    && range.address() + range.byteSize() <= address + bytes
                    && own.isReadOnly() == range.isReadOnly();
        }
    }

    /** One user's part of a range. */
    final class Mr implements AutoCloseable {
        private final long offset;
        private final long bytes;
        private Entry entry;

        private Mr(Entry entry, MemorySegment range) {
            this.entry = entry;
            this.offset = range.address() - entry.address;
            this.bytes = range.byteSize();
            entry.users++;
        }

        NetMemory memory() {
            return entry.memory;
        }

        /** Of its first byte within {@link #memory()}. */
        long offset() {
            return offset;
        }

        long bytes() {
            return bytes;
        }

        /** Idempotent. */
        @Override
        public void close() {
            Entry left = entry;
            entry = null;
            if (left != null && --left.users == 0) {
                entries.remove(left);
                left.memory.close();
            }
        }
    }

    /**
     * Registers memory, or finds it registered.
     *
     * @throws io.proxyrt.core.ProxyException {@link ProxyResult#INVALID_ARGUMENT} from the network; nothing changes
     */
    Mr register(NetComm comm, MemorySegment range) {
        return register(range, () -> comm.regMr(range));
    }

    /**
     * The same for memory of a GPU.
     *
     * @throws io.proxyrt.core.ProxyException from the network or the driver; nothing changes
     */
    Mr register(NetComm comm, Gdr gdr, DeviceMemory memory, MemorySegment range) {
        return register(range, () -> gdr.register(comm, memory, range));
    }

    private Mr register(MemorySegment range, Supplier<NetMemory> network) {
        for (Entry entry : entries) {
            if (entry.contains(range)) {
                return new Mr(entry, range);
            }
        }
        Entry entry = new Entry(network.get());
        entries.add(entry);
        return new Mr(entry, range);
    }

    int size() {
        return entries.size();
    }

    /** Ends what is registered still. */
    @Override
    public void close() {
        Closing closing = new Closing();
        entries.forEach(entry -> closing.add(entry.memory));
        entries.clear();
        closing.end();
    }
}
