/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceMemoryKind;
import io.proxyrt.core.platform.Arenas;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Memory that a GPU reaches. Any platform thread. */
final class GpuMemory implements DeviceMemory {
    private final GpuDevice device;
    private final long id;
    private final DeviceMemoryKind kind;
    private final Place place;
    private final GpuBacking backing;
    private volatile boolean isDisowned;
    private volatile boolean isClosed;

    GpuMemory(GpuDevice device, long id, DeviceMemoryKind kind, Place place, GpuBacking backing) {
        this.device = device;
        this.id = id;
        this.kind = kind;
        this.place = place;
        this.backing = backing;
    }

    /**
     * Where memory is.
     *
     * @param address for the device
     * @param range   for the CPU if it is the host's, else of the device's addresses
     * @param arena   of the range; null if it has another owner
     * @param isHost  whether the CPU may touch it
     */
    record Place(long address, MemorySegment range, Arena arena, boolean isHost) {
        /** At one address for the device and the CPU, if that sees it. */
        static Place of(long address, long bytes, boolean isHost) {
            return of(address, address, bytes, isHost);
        }

        /** At one address for the device, and at another one in segments. */
        static Place of(long address, long inSegments, long bytes, boolean isHost) {
            Arena arena = Arena.ofShared();
            return new Place(address, at(inSegments, bytes, arena), arena, isHost);
        }

        @SuppressWarnings("restricted")
        private static MemorySegment at(long address, long bytes, Arena arena) {
            return MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
        }
    }

    GpuDevice device() {
        return device;
    }

    GpuBacking backing() {
        return backing;
    }

    void disown() {
        isDisowned = true;
    }

    /** Whether it stays when the device is closed. */
    boolean isDisowned() {
        return isDisowned;
    }

    /** Whether it is there: neither freed, nor unmapped by the owner of what is registered. */
    boolean isAlive() {
        return !isClosed && place.range.scope().isAlive();
    }

    /** Whether it is the device's itself: neither the host's, nor another process's, of whichever device. */
    boolean isOwn() {
        return kind == DeviceMemoryKind.DEVICE;
    }

    boolean isReadOnly() {
        return place.range.isReadOnly();
    }

    @Override
    public MemorySegment segment() {
        if (!place.isHost) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, this + " is out of the CPU's reach: give collectives"
                    + " its range(), and copy to memory of allocateHost what the CPU is to read");
        }
        return place.range;
    }

    @Override
    public MemorySegment range() {
        return place.range;
    }

    @Override
    public void zero(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, bytes());
        if (place.isHost) {
            place.range.asSlice(offset, bytes).fill((byte) 0);
        } else if (isAlive()) {
            device.zero(place.address + offset, bytes);
        } else {
            throw new IllegalStateException(this + " is freed");
        }
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public long bytes() {
        return place.range.byteSize();
    }

    @Override
    public long address() {
        return place.address;
    }

    @Override
    public DeviceMemoryKind kind() {
        return kind;
    }

    @Override
    public boolean isHostAccessible() {
        return place.isHost;
    }

    /**
     * {@inheritDoc} Waits for a call that uses its segment; if that lasts, it stays what it is. The driver gets it
     * when streams are done with it; registered memory must not go before that, so there this waits.
     */
    @Override
    public void close() {
        close(GpuDevice.CLOSE_TIMEOUT_NS);
    }

    synchronized void close(long timeoutNs) {
        if (isClosed) {
            return;
        }
        device.checkThread();
        if (place.arena != null) {
            Arenas.close(place.arena);
        }
        isClosed = true;
        backing.revoke();
        device.release(this, timeoutNs);
    }

    @Override
    public String toString() {
        return "memory " + id + " of " + device.name();
    }
}
