/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.natives.CCalls;
import io.proxyrt.natives.CFunction;
import io.proxyrt.natives.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.function.IntSupplier;

/**
 * GDRCopy, by the functions of libgdrapi. A {@code gdr_mh_t} is a structure of one long, by value, which both
 * architectures pass as that long. The library has state of a {@code gdr_t} and state of the process, and locks
 * neither: all calls are made one at a time in a process, as NCCL makes them. Reads of what is mapped are no calls.
 */
final class GdrApi {
    /** What is pinned begins and ends with one, of the GPU's. */
    static final long PAGE_BYTES = 1 << 16;
    /** {@code GDR_PIN_FLAG_FORCE_PCIE}: by the bus, also where the GPU has a nearer way to the CPU. */
    static final int FORCE_PCIE = 1;
    /** {@code GDR_ATTR_USING_DMA_BUF_MMAP}, from 2.6 on. */
    private static final int USING_DMA_BUF = 3;
    /** {@code GDR_MAPPING_TYPE_CACHING}. */
    static final int CACHING = 2;
    /** Of {@code gdr_info_v2_t}; what came before lacks the type, which is 0 then. */
    static final long INFO_BYTES = 48;
    static final long INFO_VA = 0;
    static final long INFO_MAPPED_SIZE = 8;
    static final long INFO_MAPPING_TYPE = 40;

    private static final MethodHandle OPEN = CCalls.link(FunctionDescriptor.of(JAVA_LONG));
    private static final MethodHandle LIBRARY_VERSION = CCalls.link(FunctionDescriptor.ofVoid(ADDRESS, ADDRESS));
    private static final Object ONE_AT_A_TIME = new Object();

    private final CFunction open;
    private final CFunction close;
    private final CFunction pin;
    private final CFunction pinWithFlags;
    private final CFunction unpin;
    private final CFunction info;
    private final CFunction map;
    private final CFunction unmap;
    private final CFunction libraryVersion;
    private final CFunction driverVersion;
    private final CFunction attribute;

    GdrApi(GpuLibrary.Symbols symbols) {
        this.open = symbols.need("gdr_open");
        this.close = symbols.need("gdr_close");
        this.pin = symbols.need("gdr_pin_buffer");
        this.pinWithFlags = symbols.find("gdr_pin_buffer_v2");
        this.unpin = symbols.need("gdr_unpin_buffer");
        CFunction newer = symbols.find("gdr_get_info_v2");
        this.info = newer.exists() ? newer : symbols.need("gdr_get_info");
        this.map = symbols.need("gdr_map");
        this.unmap = symbols.need("gdr_unmap");
        this.libraryVersion = symbols.need("gdr_runtime_get_version");
        this.driverVersion = symbols.need("gdr_driver_get_version");
        this.attribute = symbols.find("gdr_get_attribute");
    }

    /** What the library told of pinned memory. */
    record Info(long address, long mappedBytes, int mappingType) {
    }

    /** A {@code gdr_t}; 0 if the library reaches neither its driver nor, from 2.6 on, memory by dma-buf. */
    long open() {
        try {
            synchronized (ONE_AT_A_TIME) {
                return (long) OPEN.invokeExact(open.address());
            }
        } catch (Throwable t) {
            throw CCalls.failure(open, t);
        }
    }

    void close(long gdr) {
        check(alone(() -> call(close, gdr)), close, "");
    }

    /** A {@code gdr_mh_t}. Drivers before 2.5 have no flags, whatever the library has. */
    long pin(long gdr, long address, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(JAVA_LONG);
            int status = pinWithFlags.exists()
                    ? alone(() -> call(pinWithFlags, gdr, address, bytes, FORCE_PCIE, handle.address())) : Errno.EINVAL;
            if (status != 0) {
                check(alone(() -> call(pin, gdr, address, bytes, 0, 0, handle.address())), pin,
                        bytes + " bytes at 0x" + Long.toHexString(address));
            }
            return handle.get(JAVA_LONG, 0);
        }
    }

    void unpin(long gdr, long handle) {
        check(alone(() -> call(unpin, gdr, handle)), unpin, "");
    }

    Info info(long gdr, long handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment told = arena.allocate(INFO_BYTES, Long.BYTES);
            check(alone(() -> call(info, gdr, handle, told.address())), info, "");
            return new Info(told.get(JAVA_LONG, INFO_VA), told.get(JAVA_LONG, INFO_MAPPED_SIZE),
                    told.get(JAVA_INT, INFO_MAPPING_TYPE));
        }
    }

    /** Where the CPU finds the first page that is pinned. */
    long map(long gdr, long handle, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(JAVA_LONG);
            check(alone(() -> call(map, gdr, handle, address.address(), bytes)), map, bytes + " bytes");
            return address.get(JAVA_LONG, 0);
        }
    }

    void unmap(long gdr, long handle, long address, long bytes) {
        check(alone(() -> call(unmap, gdr, handle, address, bytes)), unmap, bytes + " bytes");
    }

    /** Major in the upper half, minor in the lower one, as the header packs them. */
    int libraryVersion() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 2);
            synchronized (ONE_AT_A_TIME) {
                LIBRARY_VERSION.invokeExact(libraryVersion.address(), numbers, numbers.asSlice(Integer.BYTES));
            }
            return version(numbers);
        } catch (Throwable t) {
            throw CCalls.failure(libraryVersion, t);
        }
    }

    /** Whether the library does without its driver, and takes dma-bufs from CUDA's. */
    boolean isByDmaBuf(long gdr) {
        if (!attribute.exists()) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            // Libraries before 2.6 refuse what they do not know.
            return alone(() -> call(attribute, gdr, USING_DMA_BUF, value.address())) == 0
                    && value.get(JAVA_INT, 0) != 0;
        }
    }

    /** As {@link #libraryVersion}, of the kernel's driver. The library aborts the process if {@link #isByDmaBuf}. */
    int driverVersion(long gdr) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 2);
            long major = numbers.address();
            int status = alone(() -> call(driverVersion, gdr, major, major + Integer.BYTES));
            int version = version(numbers);
            // NCCL takes what libraries before 2.6 return for nothing; none writes a number if it fails.
            if (version == 0) {
                check(status, driverVersion, "");
            }
            return version;
        }
    }

    private static int alone(IntSupplier call) {
        synchronized (ONE_AT_A_TIME) {
            return call.getAsInt();
        }
    }

    private static int version(MemorySegment numbers) {
        return numbers.getAtIndex(JAVA_INT, 0) << Short.SIZE | numbers.getAtIndex(JAVA_INT, 1);
    }

    /** It returns what errno would be. */
    private static void check(int status, CFunction function, String what) {
        if (status != 0) {
            throw Errno.failure(function.name() + (what.isEmpty() ? "" : " of " + what), status, "");
        }
    }
}
