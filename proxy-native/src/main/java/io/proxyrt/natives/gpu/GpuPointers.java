/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.natives.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Asks a driver what is at an address. CUDA and HIP have the same questions, and other numbers in one answer. */
final class GpuPointers {
    // Of CUpointer_attribute, hipPointer_attribute.
    static final int MEMORY_TYPE = 2;
    static final int DEVICE_POINTER = 3;
    static final int IS_MANAGED = 8;
    static final int DEVICE_ORDINAL = 9;
    static final int IS_LEGACY_IPC_CAPABLE = 10;
    static final int RANGE_START = 11;
    static final int RANGE_BYTES = 12;
    private static final long UNKNOWN = -1;

    private final GpuFunctions functions;
    private final Types types;

    GpuPointers(GpuFunctions functions, Types types) {
        this.functions = functions;
        this.types = types;
    }

    /**
     * Of {@code CUmemorytype}, {@code hipMemoryType}.
     *
     * @param host    its number for the host's memory
     * @param device  for a device's
     * @param managed for what moves; a number that the other two do not have, where it is told otherwise
     */
    record Types(int host, int device, int managed) {
    }

    /** What is at an address, in a device's memory or in pinned memory of the host. */
    Optional<GpuPointer> find(long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG, 2);
            GpuPointer.Place place = place(out, address);
            if (place == null || !findRange(out, address)) {
                return Optional.empty();
            }
            long base = out.get(JAVA_LONG, 0);
            long bytes = out.get(JAVA_LONG, Long.BYTES);
            boolean isMapped = place == GpuPointer.Place.DEVICE && ask(out, IS_LEGACY_IPC_CAPABLE, address) == 0;
            long reached = ask(out, DEVICE_POINTER, address);
            return Optional.of(new GpuPointer((int) ask(out, DEVICE_ORDINAL, address), place,
                    reached == UNKNOWN ? 0 : reached, base, bytes, isMapped));
        }
    }

    /** Null if the driver does not know the address. */
    private GpuPointer.Place place(MemorySegment out, long address) {
        long type = ask(out, MEMORY_TYPE, address);
        if (type == types.managed || type != UNKNOWN && ask(out, IS_MANAGED, address) == 1) {
            return GpuPointer.Place.MANAGED;
        }
        if (type == types.device) {
            return GpuPointer.Place.DEVICE;
        }
        return type == types.host ? GpuPointer.Place.HOST : null;
    }

    /** The allocation, or the mapped piece, of which attributes would tell all that may be mapped there some day. */
    private boolean findRange(MemorySegment out, long address) {
        if (isKnown(functions.memGetAddressRange, call(functions.memGetAddressRange, out.address(),
                out.address() + Long.BYTES, address))) {
            return true;
        }
        long base = ask(out, RANGE_START, address);
        long bytes = ask(out, RANGE_BYTES, address);
        out.set(JAVA_LONG, 0, base);
        out.set(JAVA_LONG, Long.BYTES, bytes);
        return base != UNKNOWN && bytes != UNKNOWN;
    }

    /** Answers have one, four or eight bytes. */
    private long ask(MemorySegment out, int attribute, long address) {
        out.set(JAVA_LONG, 0, 0);
        int code = call(functions.pointerGetAttribute, out.address(), attribute, address);
        return isKnown(functions.pointerGetAttribute, code) ? out.get(JAVA_LONG, 0) : UNKNOWN;
    }

    private boolean isKnown(CFunction function, int code) {
        if (code == GpuApi.SUCCESS) {
            return true;
        }
        call(functions.getLastError);
        if (code != GpuBinding.INVALID_VALUE && code != GpuBinding.NOT_FOUND && code != GpuErrors.NOT_SUPPORTED) {
            throw new ProxyException(GpuErrors.result(code), function.name() + ": "
                    + GpuCalls.text(functions.getErrorName, code) + " (" + code + ")" + GpuErrors.advice(code));
        }
        return false;
    }
}
