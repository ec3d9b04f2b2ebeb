/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.LinkType;
import io.proxyrt.core.device.PeerDevice;
import java.util.Arrays;

/** What devices one device reaches, and what it could. */
final class GpuPeers {
    private final GpuProcess process;
    private final int ordinal;
    /** Replaced as a whole: the volatile store publishes what is in it. */
    private volatile GpuDevice[] reached;

    GpuPeers(GpuProcess process, GpuDevice device) {
        this.process = process;
        this.ordinal = device.ordinal();
        this.reached = new GpuDevice[] {device};
    }

    /** Whether the driver finds a way. */
    boolean canAccess(int other) {
        return other == ordinal || process.api().canAccessPeer(ordinal, other);
    }

    /** Whether streams may use memory and events of a device. Neither blocks nor allocates. */
    boolean has(GpuDevice other) {
        for (GpuDevice device : reached) {
            if (device == other) {
                return true;
            }
        }
        return false;
    }

    synchronized void add(GpuDevice other) {
        if (!has(other)) {
            GpuDevice[] more = Arrays.copyOf(reached, reached.length + 1);
            more[reached.length] = other;
            reached = more;
        }
    }

    /** Empty if memory of another rank's device can be reached, once it is opened here. */
    String whyNot(String kind, PeerDevice peer) {
        String name = process.name(ordinal);
        if (!peer.kind().equals(kind)) {
            return name + " cannot reach memory of a device of kind '" + peer.kind() + "'";
        }
        int other = find(peer.pciId());
        if (other < 0) {
            return name + " cannot reach a device at '" + peer.pciId() + "': this process does not see it; let both"
                    + " processes see both devices";
        }
        return canAccess(other) ? "" : name + " cannot reach " + process.name(other) + " at " + peer.pciId()
                + ": the driver finds no way from one to the other";
    }

    /** As the driver says; a GPU that cannot be reached has no link. */
    LinkType linkTo(String kind, PeerDevice peer) {
        int other = peer.kind().equals(kind) ? find(peer.pciId()) : -1;
        return other < 0 || !canAccess(other) ? LinkType.UNKNOWN
                : other == ordinal ? LinkType.SELF : process.api().link(ordinal, other);
    }

    private int find(String pciId) {
        for (int other = 0; !pciId.isEmpty() && other < process.api().deviceCount(); other++) {
            if (process.api().pciBusId(other).equalsIgnoreCase(pciId)) {
                return other;
            }
        }
        return -1;
    }
}
