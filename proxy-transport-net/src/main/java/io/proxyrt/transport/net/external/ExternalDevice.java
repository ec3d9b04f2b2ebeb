/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.core.plugin.NetWords;
import io.proxyrt.transport.net.spi.NetProperties;
import java.util.ArrayList;
import java.util.List;

/** A device of a plug-in, with what the plug-in says of it in bounds, and what is open on it. Service thread. */
final class ExternalDevice {
    private static final int DEFAULT_SPEED_MBPS = 10_000;
    private static final int MAX_COMMS = 65_536;
    /** {@code MAX_NET_SIZE}, for plug-ins that do not say. */
    private static final long DEFAULT_P2P_BYTES = 1L << 30;
    /** What every comm bears for each message that an irecv may group. */
    private static final int REQUESTS = 8;
    /** {@code NCCL_NET_MAX_REQUESTS}. */
    private static final int MAX_REQUESTS = 32;

    private final int number;
    private final NetProperties properties;
    private final boolean isRegGlobal;
    private final boolean isFlushing;
    private final List<ExternalComm> comms = new ArrayList<>();
    /** Registered with the device rather than with a comm. */
    private final List<ExternalMemory> memories = new ArrayList<>();

    /** A device that {@link #whyNot} has nothing against. */
    ExternalDevice(int number, NetLibraryProperties told) {
        this.number = number;
        this.isRegGlobal = told.isRegGlobal();
        this.isFlushing = told.takes(~NetLibraryProperties.PTR_HOST);
        this.properties = new NetProperties(told.label(number), told.pciPath() == null ? "" : told.pciPath(),
                told.guid(), told.speedMbps() > 0 ? told.speedMbps() : DEFAULT_SPEED_MBPS,
                told.maxComms() > 0 ? told.maxComms() : MAX_COMMS, Math.clamp(told.maxRecvs(), 1, NetWords.MAX_RECVS),
                told.maxP2pBytes() > 0 ? Math.min(told.maxP2pBytes(), Integer.MAX_VALUE) : DEFAULT_P2P_BYTES,
                told.takes(NetLibraryProperties.PTR_DMABUF));
    }

    /** Why a device is of no use here; empty if it is. */
    static String whyNot(NetLibraryProperties told) {
        if (told.deviceType() == NetLibraryProperties.DEVICE_UNPACK) {
            return "GPUs have to unpack its messages, by version " + told.deviceVersion()
                    + " of NCCL's way, and kernels of this runtime do not";
        }
        if (told.deviceType() != NetLibraryProperties.DEVICE_HOST) {
            return "GPUs have to drive it, by offload type " + told.deviceType() + ", which this runtime does not know";
        }
        return told.takes(NetLibraryProperties.PTR_HOST) ? "" : "it does not take memory of the host";
    }

    /** The plug-in's. */
    int number() {
        return number;
    }

    NetProperties properties() {
        return properties;
    }

    boolean isRegGlobal() {
        return isRegGlobal;
    }

    /** Whether it writes to memory of GPUs. Others, such as NCCL's own socket network, fail when asked to flush. */
    boolean isFlushing() {
        return isFlushing;
    }

    /** Messages that a comm has under way at most. A plug-in may fail for more, rather than refuse them. */
    int maxRequests() {
        return Math.min(MAX_REQUESTS, REQUESTS * properties.maxRecvs());
    }

    void opened(ExternalComm comm) {
        comms.add(comm);
    }

    /** The comm is about to be closed; what is registered stays, unless there is no other comm to end it by. */
    void closing(ExternalComm comm) {
        comms.remove(comm);
        if (comms.isEmpty()) {
            List.copyOf(memories).forEach(memory -> memory.deregister(comm));
        }
    }

    /** What is registered with the device. */
    List<ExternalMemory> memories() {
        return memories;
    }

    /** One that is open, as there is one while anything is registered. */
    ExternalComm anyComm() {
        return comms.getFirst();
    }

    /** For messages: {@code mlx5_0 of IB (libnccl-net.so)}. */
    String describe(NetLibrary library) {
        return library.describe(properties.name());
    }
}
