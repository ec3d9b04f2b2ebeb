/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.transport.net.spi.NetProperties;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A device of the network: a port, or several that are near each other, over which messages are spread.
 *
 * @param ports   1 to {@link #MAX_PORTS}, of one link layer
 * @param pciPath of the first one's adapter; empty if it is virtual
 */
record IbDevice(List<IbPort> ports, String pciPath) {
    static final int MAX_PORTS = 4;
    /** A message's size has to fit the immediate. */
    private static final long MAX_MESSAGE_BYTES = 1L << 30;
    /** Work requests that one message may take at a queue pair. */
    static final int MAX_PIECES = 16;
    /** Connections that an adapter bears are bounded by its queue pairs. */
    private static final int MAX_COMMS = 1 << 16;

    String name() {
        return ports.stream().map(IbPort::name).collect(Collectors.joining("+"));
    }

    /** Those of its ports that are up, as a device of their own; null if none is. */
    IbDevice active() {
        List<IbPort> active = ports.stream().filter(IbPort::isUp).toList();
        return active.isEmpty() ? null : active.size() == ports.size() ? this : new IbDevice(active, pciPath);
    }

    /** Most bytes of a single write. */
    int maxWriteBytes() {
        long least = ports.stream().mapToLong(IbPort::maxMessageBytes).min().orElseThrow();
        return (int) Math.min(least, MAX_MESSAGE_BYTES);
    }

    /** Most work requests in a queue of a queue pair. */
    int maxWrs() {
        return ports.stream().mapToInt(port -> port.adapter().attributes().maxWrs()).min().orElseThrow();
    }

    /** Most entries of a completion queue. */
    int maxCqes() {
        return ports.stream().mapToInt(port -> port.adapter().attributes().maxCqes()).min().orElseThrow();
    }

    /** Each connection has queue pairs at all ports. */
    private int maxQps() {
        return ports.stream().mapToInt(port -> port.adapter().attributes().maxQps()).min().orElseThrow();
    }

    NetProperties properties(int maxRecvs) {
        IbPort first = ports.getFirst();
        long guid = first.adapter().attributes().guid() ^ (long) (first.number() - 1) << 56;
        int speed = ports.stream().mapToInt(IbPort::speedMbps).sum();
        int comms = Math.clamp(maxQps(), 1, MAX_COMMS);
        return new NetProperties(name(), pciPath, guid, speed, comms, maxRecvs,
                Math.min(MAX_MESSAGE_BYTES, (long) MAX_PIECES * maxWriteBytes()),
                ports.stream().allMatch(port -> port.adapter().takesDmaBuf()));
    }
}
