/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

/**
 * What a driver knows of an address.
 *
 * @param ordinal       of the device that the memory belongs to, or was allocated for
 * @param place         where it lies
 * @param deviceAddress where kernels of the current device find it; 0 if they do not reach it
 * @param base          of the allocation, or of the mapped piece
 * @param bytes         of all of that
 * @param isMapped      whether it was mapped and not allocated, so that more of it may begin where it ends
 */
public record GpuPointer(int ordinal, Place place, long deviceAddress, long base, long bytes, boolean isMapped) {
    /** Where memory lies. */
    public enum Place {
        /** In the device's own memory. */
        DEVICE,
        /** In the host's, pinned. */
        HOST,
        /** Now here, now there: all devices reach it. */
        MANAGED
    }

    /** {@return how many bytes there are from an address in it to its end} @param address of the first */
    long bytesFrom(long address) {
        return base + bytes - address;
    }
}
