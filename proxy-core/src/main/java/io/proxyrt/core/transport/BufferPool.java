/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.counters.MemoryAccounts;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import org.slf4j.Logger;

/**
 * Memory for connections, in pieces of slabs. Pieces that lie side by side share pages, which is what control words
 * need: a pass over thousands of connections touches one line of each, and with a page for each it would miss the TLB
 * every time. Buffers need it less, but a slab can have huge pages, and costs the device one allocation.
 *
 * <p>A slab is as large as all that is in use, within limits, so that a few connections take little and many take few
 * slabs. One without pieces in use goes back to the device, unless no more than a given amount lies idle then. What was
 * used before is zeroed before it is used again: no user sees another's data, and no flag of LL or LL128 of an earlier
 * connection is taken for a new one.
 *
 * <p>Any thread; takes a lock, and a device's time where a slab is made: for set-up, not for the data path.
 */
public final class BufferPool implements AutoCloseable {
    private static final Logger LOGGER = Subsystem.ALLOC.logger();

    private final String name;
    private final LongFunction<DeviceMemory> source;
    private final SlabSizes sizes;
    private final MemoryAccounts accounts;
    private final List<Slab> slabs = new ArrayList<>();
    private final Set<PooledBuffer> used = new LinkedHashSet<>();
    private long usedBytes;
    private boolean isClosed;

    /**
     * An empty pool.
     *
     * @param name     for errors
     * @param source   makes zeroed memory of the given number of bytes, as {@link Device#allocate} does
     * @param sizes    of its slabs
     * @param accounts are told what lies idle
     */
    public BufferPool(String name, LongFunction<DeviceMemory> source, SlabSizes sizes, MemoryAccounts accounts) {
        this.name = name;
        this.source = source;
        this.sizes = sizes;
        this.accounts = accounts;
    }

    /**
     * How large slabs are.
     *
     * @param unitBytes     what pieces are aligned to and rounded up to; a power of two, 4096 at most
     * @param minBytes      of a slab
     * @param maxBytes      of a slab with more than one piece
     * @param retainedBytes that may lie idle in slabs without pieces in use
     */
    public record SlabSizes(long unitBytes, long minBytes, long maxBytes, long retainedBytes) {
        /** Checks that they make sense. */
        public SlabSizes {
            if (Long.bitCount(unitBytes) != 1 || unitBytes > 4096 || minBytes < unitBytes || maxBytes < minBytes
                    || retainedBytes < 0) {
                throw new IllegalArgumentException("slabs of " + minBytes + " to " + maxBytes + " bytes in units of "
                        + unitBytes + ", of which " + retainedBytes + " bytes may be idle");
            }
        }

        private long rounded(long bytes) {
            return (bytes + unitBytes - 1) & -unitBytes;
        }

        /** A multiple of what is asked for, so that pieces of one size leave no rest; about what is in use. */
        private long slabBytes(long wanted, long usedBytes) {
            long room = Math.clamp(usedBytes, minBytes, maxBytes);
            return Math.max(1, room / wanted) * wanted;
        }
    }

    /**
     * Takes a piece.
     *
     * @param bytes how much, greater than 0
     * @param owner named where it leaks
     * @return zeroed; owned by the caller
     * @throws ProxyException as the device's allocation does; {@link ProxyResult#INVALID_USAGE} if the pool is closed
     */
    public synchronized PooledBuffer allocate(long bytes, Object owner) {
        if (isClosed || bytes <= 0) {
            throw new ProxyException(isClosed ? ProxyResult.INVALID_USAGE : ProxyResult.INVALID_ARGUMENT,
                    this + ": " + bytes + " bytes for " + owner + (isClosed ? ", after it was closed" : ""));
        }
        long wanted = sizes.rounded(bytes);
        for (Slab slab : slabs) {
            long offset = slab.take(wanted);
            if (offset >= 0) {
                accounts.addIdle(-wanted);
                return use(new PooledBuffer(this, slab, offset, wanted, owner));
            }
        }
        Slab slab = grow(wanted);
        accounts.addIdle(slab.bytes - wanted);
        return use(new PooledBuffer(this, slab, slab.take(wanted), wanted, owner));
    }

    /** Where there is not enough for a slab as it should be, what is idle goes, and the piece gets one of its size. */
    private Slab grow(long wanted) {
        Slab slab;
        try {
            slab = slab(sizes.slabBytes(wanted, usedBytes));
        } catch (ProxyException e) {
            LOGGER.debug("{} takes {} bytes and no more: {}", this, wanted, e.toString());
            trim();
            slab = slab(wanted);
        }
        slabs.add(slab);
        return slab;
    }

    private Slab slab(long bytes) {
        return new Slab(source.apply(bytes), bytes);
    }

    private PooledBuffer use(PooledBuffer buffer) {
        used.add(buffer);
        usedBytes += buffer.bytes();
        return buffer;
    }

    synchronized void free(PooledBuffer buffer) {
        if (!used.remove(buffer)) {
            return;
        }
        usedBytes -= buffer.bytes();
        assert usedBytes >= 0 : usedBytes;
        accounts.addIdle(buffer.bytes());
        buffer.slab.give(buffer.offset(), buffer.bytes());
        if (buffer.slab.isIdle()) {
            trim(sizes.retainedBytes());
        }
    }

    /** Gives all slabs without pieces in use back to the device. */
    public synchronized void trim() {
        trim(0);
        assert audit().isEmpty() : audit();
    }

    private void trim(long limit) {
        long idle = slabs.stream().filter(Slab::isIdle).mapToLong(slab -> slab.bytes).sum();
        for (Iterator<Slab> all = slabs.iterator(); idle > limit && all.hasNext(); ) {
            Slab slab = all.next();
            if (slab.isIdle() && release(slab)) {
                idle -= slab.bytes;
                all.remove();
            }
        }
    }

    /** Memory that a call of the system still uses cannot be freed; the next time it can. */
    private boolean release(Slab slab) {
        try {
            slab.memory.close();
        } catch (IllegalStateException e) {
            LOGGER.debug("{} keeps {} bytes that are in use: {}", this, slab.bytes, e.toString());
            return false;
        }
        accounts.addIdle(-slab.bytes);
        return true;
    }

    /**
     * What the pool has of the device.
     *
     * @return bytes
     */
    public synchronized long allocatedBytes() {
        return slabs.stream().mapToLong(slab -> slab.bytes).sum();
    }

    /**
     * What is in use.
     *
     * @return bytes
     */
    public synchronized long usedBytes() {
        return usedBytes;
    }

    /**
     * Checks that what is in use and what is free is what the device gave.
     *
     * @return what is wrong, for people; empty if it adds up
     */
    public synchronized String audit() {
        long inUse = used.stream().mapToLong(PooledBuffer::bytes).sum();
        long listed = slabs.stream().mapToLong(Slab::listedFreeBytes).sum();
        long free = slabs.stream().mapToLong(Slab::freeBytes).sum();
        boolean isWhole = inUse == usedBytes && listed == free && inUse + free == allocatedBytes();
        return isWhole ? "" : this + ": " + allocatedBytes() + " bytes allocated, " + inUse + " (" + usedBytes
                + ") in use, " + listed + " (" + free + ") free";
    }

    /**
     * What is in use, and whose.
     *
     * @return a copy, oldest first
     */
    public synchronized List<PooledBuffer> used() {
        return List.copyOf(used);
    }

    /**
     * Gives everything back to the device. What is still in use is gone then, and named in the log: it leaked.
     * Idempotent.
     */
    @Override
    public synchronized void close() {
        isClosed = true;
        for (PooledBuffer leak : used()) {
            LOGGER.error("{}: {} were not given back", this, leak);
            free(leak);
        }
        trim();
    }

    @Override
    public String toString() {
        return name;
    }
}
