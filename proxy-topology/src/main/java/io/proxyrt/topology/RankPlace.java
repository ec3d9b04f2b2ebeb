/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.PciAddress;
import io.proxyrt.core.platform.Platform;
import java.util.Optional;

/**
 * Where a rank is. Immutable.
 *
 * @param host     the id of its host; ranks with one id are on one host
 * @param gpu      its GPU's address on PCI, such as {@code 0000:c1:00.0}; empty of a rank on the host device
 * @param numaNode where the memory of a rank on the host device is; not looked at if it has a GPU
 */
public record RankPlace(long host, String gpu, int numaNode) {
    /**
     * Checks the address.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public RankPlace {
        if (!gpu.isEmpty() && PciAddress.parse(gpu).isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "a rank's GPU is at " + gpu + ", which is no address on PCI such as 0000:c1:00.0");
        }
    }

    /**
     * A rank that has a GPU.
     *
     * @param host the id of its host
     * @param gpu  the GPU's address on PCI
     * @return its place
     */
    public static RankPlace ofGpu(long host, String gpu) {
        return new RankPlace(host, gpu, -1);
    }

    /**
     * A rank on the host device.
     *
     * @param host     the id of its host
     * @param numaNode where its memory is
     * @return its place
     */
    public static RankPlace ofHostDevice(long host, int numaNode) {
        return new RankPlace(host, "", numaNode);
    }

    /**
     * A rank of this process on the host device: on the NUMA node that {@link CoreOptions#NUMA_NODE} names, or else the
     * one that has all CPUs of {@link CoreOptions#CPUSET}, or of the process.
     *
     * @param config effective settings
     * @return its place, on a host of the id 0; empty if the CPUs are of several nodes, or the system does not tell
     */
    public static Optional<RankPlace> ofThisProcess(ProxyConfig config) {
        return HostNode.of(Platform.find(), config).stream().mapToObj(node -> ofHostDevice(0, node)).findFirst();
    }

    Optional<PciAddress> address() {
        return PciAddress.parse(gpu);
    }
}
