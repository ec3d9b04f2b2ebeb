/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemoryKind;
import java.util.Optional;

/** Takes memory that other libraries of this process have. The device is the calling thread's. */
final class GpuForeign {
    private final GpuDevice device;
    private final GpuApi api;

    GpuForeign(GpuDevice device) {
        this.device = device;
        this.api = device.api();
    }

    /** Once the driver says that kernels of the device reach all of it. */
    GpuMemory wrap(long address, long bytes) {
        if (bytes < 1 || address == 0 || address + bytes < address) {
            throw refused(address, bytes, "that is no memory");
        }
        GpuPointer found = find(address, address, bytes).orElseThrow(() -> refused(address, bytes,
                "the driver knows no memory there; register takes memory of the host that is not pinned"));
        check(found, address, bytes);
        GpuMemory.Place place = GpuMemory.Place.of(found.deviceAddress(), address, bytes,
                found.place() == GpuPointer.Place.HOST);
        return device.add(DeviceMemoryKind.FOREIGN, place, new GpuBacking.Foreign());
    }

    private void check(GpuPointer found, long address, long bytes) {
        if (!isOfDevice(found)) {
            throw refused(address, bytes, "it is memory of " + api.kind() + ":" + found.ordinal());
        }
        if (found.deviceAddress() == 0) {
            throw refused(address, bytes, "it is memory of a context of " + api.kind() + ":" + found.ordinal()
                    + " that is not the primary one, whose kernels are to reach it");
        }
        long whole = extent(found, address, bytes);
        if (whole < bytes) {
            throw refused(address, bytes, whole + " bytes are left of the allocation, which begins at "
                    + hex(found.base()));
        }
    }

    private boolean isOfDevice(GpuPointer found) {
        return found.ordinal() == device.ordinal() || found.place() != GpuPointer.Place.DEVICE;
    }

    /** How much there is, as far as it matters: PyTorch maps piece after piece where one ends (expandable segments). */
    private long extent(GpuPointer first, long address, long bytes) {
        long whole = first.bytesFrom(address);
        boolean isMapped = first.isMapped();
        while (isMapped && whole < bytes) {
            Optional<GpuPointer> next = find(address + whole, address, bytes).filter(piece -> piece.isMapped()
                    && isOfDevice(piece) && piece.deviceAddress() != 0);
            whole += next.isPresent() ? next.get().bytesFrom(address + whole) : 0;
            isMapped = next.isPresent();
        }
        return whole;
    }

    /** What is at a place in memory that is to be wrapped. */
    private Optional<GpuPointer> find(long place, long address, long bytes) {
        try {
            return api.pointer(place);
        } catch (ProxyException e) {
            throw new ProxyException(e.result(), cannotWrap(address, bytes) + e.getMessage(), e);
        }
    }

    private ProxyException refused(long address, long bytes, String why) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, cannotWrap(address, bytes) + why);
    }

    private String cannotWrap(long address, long bytes) {
        return device.name() + " cannot wrap " + bytes + " bytes at " + hex(address) + ": ";
    }

    private static String hex(long address) {
        return "0x" + Long.toHexString(address);
    }
}
