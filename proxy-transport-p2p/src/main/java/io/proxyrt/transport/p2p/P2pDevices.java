/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.LinkType;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.progress.PeerInfo;

/**
 * The devices in whose memory connections of this rank lie: its own, and one that stands between this rank's and
 * another's, which cannot reach each other. Any thread.
 */
final class P2pDevices implements AutoCloseable {
    private final ProxyConfig config;
    private final int rank;
    private final Device own;
    private final Topology topology = Topology.ofHost();
    private Device relay;

    P2pDevices(ProxyConfig config, int rank, Device own) {
        this.config = config;
        this.rank = rank;
        this.own = own;
    }

    Device own() {
        return own;
    }

    /** Empty if kernels of this rank's device can reach what the other's kernels reach, else the reason. */
    String whyNot(PeerInfo self, PeerInfo peer) {
        if (!self.device().kind().equals(peer.device().kind())) {
            return "rank " + peer.rank() + " uses a " + peer.device().kind() + " device, this one a "
                    + self.device().kind() + " device";
        }
        P2pLevel level = config.get(P2pOptions.LEVEL);
        LinkType link = topology.link(self.device().pciId(), peer.device().pciId()).closer(own.linkTo(peer.device()));
        if (!level.allows(link)) {
            return "the device of rank " + peer.rank() + " is at the other end of " + link.text() + ", farther than "
                    + P2pOptions.LEVEL.key() + " allows: " + level;
        }
        if (config.get(P2pOptions.USE_MEMCPY) != 0) {
            String whyNoCopy = whyNoCopy(self, peer);
            return whyNoCopy.isEmpty() ? own.whyNoPeer(peer.device()) : whyNoCopy;
        }
        String whyNoPeer = own.whyNoPeer(peer.device());
        return whyNoPeer.isEmpty() || whyNoRelay().isEmpty() ? "" : whyNoPeer + whyNoRelay();
    }

    /** A driver copies within a GPU by kernels, which queue behind those of ours that wait for the copy. */
    private static String whyNoCopy(PeerInfo self, PeerInfo peer) {
        if (!Ways.isHost(self) && self.isSameDevice(peer)) {
            return "rank " + peer.rank() + " uses the same GPU, " + self.device().name() + ", within which the driver"
                    + " copies by kernels that queue behind those that wait for them, so "
                    + P2pOptions.USE_MEMCPY.key() + "=1 would stand still";
        }
        return "";
    }

    /** Whether lines of LL128 are seen whole: not in a third device, to which there is another link. */
    boolean hasWholeLines(PeerInfo peer) {
        return own.linkTo(peer.device()).hasWholeLines();
    }

    /** Whether buffers have to lie in a third device. */
    boolean isRelayed(PeerInfo peer) {
        return !own.whyNoPeer(peer.device()).isEmpty();
    }

    private String whyNoRelay() {
        String name = config.get(P2pOptions.RELAY);
        if (name.isEmpty()) {
            return "; " + P2pOptions.RELAY.key() + " names no device between";
        }
        String whyNot = own.whyNoPeer(PeerDevice.of(relay()));
        return whyNot.isEmpty() ? "" : "; " + P2pOptions.RELAY.key() + ": " + whyNot;
    }

    /** Opened when it is asked for first: a context takes a driver time and memory. */
    private synchronized Device relay() {
        if (relay == null) {
            relay = Devices.open(config.get(P2pOptions.RELAY), rank, config);
        }
        return relay;
    }

    /** Whose memory an end of a connection is to be. */
    Device owner(boolean isRelayed) {
        return isRelayed ? relay() : own;
    }

    /** The same memory, as this rank's device reaches it: itself, or what has to be closed before it is. */
    DeviceMemory reach(P2pWay way, Device owner, DeviceMemory memory) {
        if (owner == own) {
            return memory;
        }
        if (way == P2pWay.VMM) {
            return own.importFd(owner.exportFd(memory), memory.bytes());
        }
        own.enablePeerAccess(owner);
        return memory;
    }

    @Override
    public synchronized void close() {
        if (relay != null) {
            relay.close();
        }
    }
}
