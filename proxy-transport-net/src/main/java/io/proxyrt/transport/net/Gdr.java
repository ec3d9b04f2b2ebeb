/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.transport.DevicePages;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.lang.foreign.MemorySegment;

/**
 * GPUDirect RDMA: an adapter that reads and writes a GPU's own memory, which it gets to know by a dma-buf. What it has
 * written there, the GPU's kernels need not see yet when the network says that it was received: it has to be flushed.
 *
 * @param device whose memory
 */
record Gdr(Device device) {
    /** Null if the network's device and the GPU cannot, or the option forbids it. */
    static Gdr of(Device device, NetPlugin plugin, int netDev, NetSettings settings) {
        boolean isUsed = settings.mayUseGdr() && plugin.properties(netDev).takesDmaBuf()
                && device.capabilities().contains(DeviceCapability.DMA_BUF);
        return isUsed ? new Gdr(device) : null;
    }

    /** Registers the pages around a range of the GPU's memory. */
    NetMemory register(NetComm comm, DeviceMemory memory, MemorySegment range) {
        try {
            return DevicePages.export(device, memory, range, comm::regMrDmaBuf);
        } catch (ProxyException e) {
            throw new ProxyException(e.result(), "the network cannot reach " + range.byteSize() + " bytes of "
                    + device.name() + ": " + e.getMessage() + "; " + NetOptions.GDR + " 0 does without", e);
        }
    }

    /** Of one connection; null if the device has none. */
    HdpRegister hdp() {
        return device.capabilities().contains(DeviceCapability.HDP_REGISTER) ? new HdpRegister(device.hdpRegister())
                : null;
    }

    /** Whether {@link Device#flush} is needed where the network does not flush. */
    boolean flushes() {
        return device.capabilities().contains(DeviceCapability.WRITE_FLUSH);
    }

    /** Whether the network need not flush at all. */
    boolean flushesByRead() {
        return device.capabilities().contains(DeviceCapability.GDRCOPY_FLUSH);
    }
}
