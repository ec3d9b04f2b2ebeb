/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.spi;

/**
 * What a device of a network is and can do: the part of {@code ncclNetProperties} that this runtime looks at.
 *
 * @param name        of the device, such as {@code eth0}
 * @param pciPath     in sysfs; empty for a device that has no place there
 * @param guid        tells devices of one host apart
 * @param speedMbps   megabits per second
 * @param maxComms    how many connections it bears
 * @param maxRecvs    how many receives one irecv may group
 * @param maxP2pBytes most bytes of a message
 * @param takesDmaBuf whether {@link NetComm#regMrDmaBuf} takes memory of GPUs: {@code NCCL_PTR_DMABUF}
 */
public record NetProperties(String name, String pciPath, long guid, int speedMbps, int maxComms, int maxRecvs,
        long maxP2pBytes, boolean takesDmaBuf) {
    /**
     * Of a device that reaches the host's memory alone.
     *
     * @param name        of the device
     * @param pciPath     in sysfs, or empty
     * @param guid        tells devices of one host apart
     * @param speedMbps   megabits per second
     * @param maxComms    how many connections it bears
     * @param maxRecvs    how many receives one irecv may group
     * @param maxP2pBytes most bytes of a message
     */
    public NetProperties(String name, String pciPath, long guid, int speedMbps, int maxComms, int maxRecvs,
            long maxP2pBytes) {
        this(name, pciPath, guid, speedMbps, maxComms, maxRecvs, maxP2pBytes, false);
    }
}
