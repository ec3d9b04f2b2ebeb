/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemoryKind;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/** Gets a device's memory from the driver. The device is the calling thread's. */
final class GpuAllocator {
    /** More than any device has: what another process says of its memory is checked against it. */
    static final long MAX_FOREIGN_BYTES = 512L << 30;
    /** Memory begins with one, whatever the driver's block does. */
    static final long PAGE = 4096;
    /** More than can be addressed. */
    private static final long MAX_BYTES = 1L << 46;
    /** Drivers cut smaller blocks from larger ones, and a handle lets its opener see the whole of one. */
    private static final long IPC_UNIT = 2 << 20;
    private static final long RECLAIM_NS = TimeUnit.SECONDS.toNanos(5);

    private final GpuDevice device;
    private final GpuApi api;
    private final GpuReclaimer reclaimer;

    GpuAllocator(GpuDevice device, GpuReclaimer reclaimer) {
        this.device = device;
        this.api = device.api();
        this.reclaimer = reclaimer;
    }

    /** What the driver gave, and the first page in it. */
    private record Block(long base, long address) {
    }

    GpuMemory allocate(long bytes) {
        return attempt(bytes, () -> {
            Block block = pages(bytes, api::malloc, api::free);
            return guarded(new GpuBacking.Allocated(block.base), backing -> zeroed(block.address, bytes, backing));
        });
    }

    GpuMemory allocateHost(long bytes) {
        return attempt(bytes, () -> {
            Block block = pages(bytes, api::hostAlloc, api::freeHost);
            return guarded(new GpuBacking.Pinned(block.base), backing -> {
                GpuMemory.Place place = GpuMemory.Place.of(block.address, bytes, true);
                place.range().fill((byte) 0);
                return device.add(DeviceMemoryKind.HOST, place, backing);
            });
        });
    }

    GpuMemory allocateShareable(long bytes) {
        return attempt(bytes, () -> {
            long whole = rounded(bytes, device.granularity());
            long handle = api.memCreate(device.ordinal(), whole);
            long address;
            try {
                address = api.memMap(handle, whole);
            } catch (ProxyException e) {
                api.memRelease(handle);
                throw e;
            }
            return guarded(new GpuBacking.Shareable(handle, address, whole), backing -> {
                api.memSetAccess(address, whole, device.ordinal());
                return zeroed(address, bytes, backing);
            });
        });
    }

    GpuMemory allocateIpc(long bytes) {
        return attempt(bytes, () -> {
            Block block = pages(rounded(bytes, IPC_UNIT), api::malloc, api::free);
            GpuBacking.Exported exported = guarded(new GpuBacking.Allocated(block.base),
                    backing -> exported(block, bytes));
            return guarded(exported, backing -> zeroed(block.address, bytes, backing));
        });
    }

    private GpuBacking.Exported exported(Block block, long bytes) {
        OwnedFd token = Platform.find().descriptors().memfd(GpuIpcHandle.token(device.name()), 1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(GpuApi.IPC_HANDLE_BYTES, Long.BYTES);
            api.ipcGetMemHandle(block.base, handle);
            byte[] encoded = GpuIpcHandle.of(api.kind(), token, block.address - block.base, bytes,
                    handle.toArray(JAVA_BYTE)).encode();
            return new GpuBacking.Exported(block.base, encoded, token);
        } catch (RuntimeException e) {
            token.close();
            throw e;
        }
    }

    /** The caller closes the descriptor. */
    GpuMemory importFd(OwnedFd fd, long bytes) {
        checkForeign(bytes);
        long whole = rounded(bytes, device.granularity());
        try {
            long address = map(fd, whole);
            return guarded(new GpuBacking.Imported(address, whole), backing -> {
                api.memSetAccess(address, whole, device.ordinal());
                return device.add(DeviceMemoryKind.IMPORTED, GpuMemory.Place.of(address, bytes, false), backing);
            });
        } catch (ProxyException e) {
            throw new ProxyException(e.result() == ProxyResult.INVALID_USAGE ? e.result()
                    : ProxyResult.INVALID_ARGUMENT, device.name() + " cannot map " + fd + " as memory of " + bytes
                    + " bytes: " + e.getMessage(), e);
        }
    }

    /** The handle goes, what is mapped stays. */
    private long map(OwnedFd fd, long whole) {
        long handle = fd.use(api::memImport);
        try {
            return api.memMap(handle, whole);
        } finally {
            api.memRelease(handle);
        }
    }

    GpuMemory openIpc(byte[] encoded) {
        GpuIpcHandle handle = GpuIpcHandle.decode(api.kind(), encoded);
        handle.check();
        try (Arena arena = Arena.ofConfined()) {
            long base = api.ipcOpenMemHandle(arena.allocateFrom(JAVA_BYTE, handle.driver()));
            return guarded(new GpuBacking.Opened(base), backing -> device.add(DeviceMemoryKind.IMPORTED,
                    GpuMemory.Place.of(base + handle.offset(), handle.bytes(), false), backing));
        }
    }

    GpuMemory register(MemorySegment memory) {
        long address = api.hostRegister(memory.address(), memory.byteSize());
        return guarded(new GpuBacking.Registered(memory.address()), backing -> device.add(DeviceMemoryKind.REGISTERED,
                new GpuMemory.Place(address, memory, null, true), backing));
    }

    private void checkForeign(long bytes) {
        if (bytes < 1 || bytes > MAX_FOREIGN_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.name() + ": memory of another process that is"
                    + " said to have " + bytes + " bytes; 1 to " + MAX_FOREIGN_BYTES + " can be");
        }
    }

    private GpuMemory zeroed(long address, long bytes, GpuBacking backing) {
        api.memset(address, 0, bytes);
        return device.add(DeviceMemoryKind.DEVICE, GpuMemory.Place.of(address, bytes, false), backing);
    }

    /** Whole pages; drivers align small blocks to less. */
    private Block pages(long bytes, LongUnaryOperator allocate, LongConsumer free) {
        long whole = rounded(bytes, PAGE);
        long base = allocate.applyAsLong(whole);
        if (base % PAGE == 0) {
            return new Block(base, base);
        }
        reclaimer.release(new GpuReclaimer.Release(device.ordinal(), "memory", true, gpu -> free.accept(base)));
        device.enter();
        long larger = allocate.applyAsLong(whole + PAGE);
        return new Block(larger, rounded(larger, PAGE));
    }

    static long rounded(long bytes, long unit) {
        return (bytes + unit - 1) & -unit;
    }

    /** Makes something of what the driver gave, or gives it back. */
    private <T> T guarded(GpuBacking backing, Function<GpuBacking, T> action) {
        try {
            return action.apply(backing);
        } catch (RuntimeException e) {
            backing.revoke();
            reclaimer.release(new GpuReclaimer.Release(device.ordinal(), "memory", backing.isBlocking(),
                    backing::free));
            throw e;
        }
    }

    private GpuMemory attempt(long bytes, Supplier<GpuMemory> allocation) {
        if (bytes < 1) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.name() + ": memory of " + bytes + " bytes");
        }
        if (bytes > MAX_BYTES) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, device.name() + ": cannot allocate " + bytes + " bytes:"
                    + " no device addresses as much");
        }
        reclaimer.sweep();
        device.enter();
        try {
            return again(allocation);
        } catch (ProxyException e) {
            ProxyResult result = e.result() == ProxyResult.INVALID_ARGUMENT ? ProxyResult.SYSTEM_ERROR : e.result();
            throw new ProxyException(result, device.name() + ": cannot allocate " + bytes + " bytes: "
                    + e.getMessage(), e);
        }
    }

    /** Where there is too little, what waits to be given back may be enough. */
    private GpuMemory again(Supplier<GpuMemory> allocation) {
        try {
            return allocation.get();
        } catch (ProxyException e) {
            if (e.result() != ProxyResult.SYSTEM_ERROR || !reclaimer.hasWaiting() || !reclaimer.sweep(RECLAIM_NS)) {
                throw e;
            }
            device.enter();
            return allocation.get();
        }
    }
}
