/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

/**
 * What a plug-in says of a device: {@code ncclNetProperties}, as it came. What older versions do not have is as NCCL
 * fills it in.
 *
 * @param name           null if the plug-in says none
 * @param pciPath        in sysfs; null if the plug-in says none
 * @param guid           tells devices apart
 * @param pointers       bits of {@link #PTR_HOST}, {@link #PTR_CUDA} and {@link #PTR_DMABUF}
 * @param isRegGlobal    whether a registration is of the device rather than of a comm
 * @param speedMbps      megabits per second
 * @param maxComms       how many connections it bears
 * @param maxRecvs       how many receives one irecv may group
 * @param deviceType     what GPUs have to do with it: {@link #DEVICE_HOST}, {@link #DEVICE_UNPACK}, or newer
 * @param deviceVersion  of that
 * @param maxP2pBytes    most bytes of a message
 * @param maxCollBytes   most bytes of a collective's call
 */
public record NetLibraryProperties(String name, String pciPath, long guid, int pointers, boolean isRegGlobal,
        int speedMbps, int maxComms, int maxRecvs, int deviceType, int deviceVersion, long maxP2pBytes,
        long maxCollBytes) {
    /** {@code NCCL_PTR_HOST}: it takes the host's memory. */
    public static final int PTR_HOST = 1;
    /** {@code NCCL_PTR_CUDA}: it takes addresses of a GPU's memory, by help of the GPU's driver. */
    public static final int PTR_CUDA = 2;
    /** {@code NCCL_PTR_DMABUF}: it takes dma-bufs. */
    public static final int PTR_DMABUF = 4;
    /** {@code NCCL_NET_DEVICE_HOST}: GPUs have nothing to do. */
    public static final int DEVICE_HOST = 0;
    /** {@code NCCL_NET_DEVICE_UNPACK}: kernels put the pieces of messages where they belong. */
    public static final int DEVICE_UNPACK = 1;

    /**
     * What to call the device, whose plug-in may give it no name.
     *
     * @param number of the device
     * @return the name, or the number
     */
    public String label(int number) {
        return name == null || name.isBlank() ? "device " + number : name;
    }

    /**
     * Whether it takes some memory.
     *
     * @param pointer {@link #PTR_HOST}, {@link #PTR_CUDA} or {@link #PTR_DMABUF}
     * @return true if it says so
     */
    public boolean takes(int pointer) {
        return (pointers & pointer) != 0;
    }
}
