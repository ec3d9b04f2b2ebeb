/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.transport.collnet.spi.CollNetProperties;

/** A device of a plug-in, with what the plug-in says of it in bounds. Immutable. */
final class ExternalDevice {
    private static final int DEFAULT_SPEED_MBPS = 10_000;
    private static final int MAX_COMMS = 65_536;
    /** {@code MAX_COLLNET_SIZE}, for plug-ins that do not say. */
    private static final long DEFAULT_COLL_BYTES = 512L << 20;

    private final int number;
    private final CollNetProperties properties;
    private final boolean takesDmaBuf;

    /** A device that {@link #whyNot} has nothing against. */
    ExternalDevice(int number, NetLibraryProperties told) {
        this.number = number;
        this.takesDmaBuf = told.takes(NetLibraryProperties.PTR_DMABUF);
        // Before version 9 a count is an int.
        this.properties = new CollNetProperties(told.label(number), told.pciPath() == null ? "" : told.pciPath(),
                told.guid(), told.speedMbps() > 0 ? told.speedMbps() : DEFAULT_SPEED_MBPS,
                told.maxComms() > 0 ? told.maxComms() : MAX_COMMS,
                told.maxCollBytes() > 0 ? Math.min(told.maxCollBytes(), Integer.MAX_VALUE) : DEFAULT_COLL_BYTES);
    }

    /** Why a device is of no use here; empty if it is. */
    static String whyNot(NetLibraryProperties told) {
        return told.takes(NetLibraryProperties.PTR_HOST) ? "" : "it does not take memory of the host";
    }

    /** The plug-in's. */
    int number() {
        return number;
    }

    CollNetProperties properties() {
        return properties;
    }

    /** Most bytes of a call. */
    long maxBytes() {
        return properties.maxCollBytes();
    }

    boolean takesDmaBuf() {
        return takesDmaBuf;
    }

    /** For messages: {@code mlx5_0:1 of SHARP (libnccl-net.so)}. */
    String describe(CollNetLibrary library) {
        return library.describe(properties.name());
    }
}
