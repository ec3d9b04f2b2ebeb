/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.progress.MemorySharing;
import io.proxyrt.core.progress.PeerInfo;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Which way memory goes between two ranks: the first that both can. Any thread. */
final class Ways {
    private final Map<P2pWay, MemoryWay> ways = new EnumMap<>(P2pWay.class);

    Ways(ProxyConfig config, MemorySharing sharing) {
        ways.put(P2pWay.DIRECT, new LocalWay());
        ways.put(P2pWay.VMM, new DescriptorWay(sharing));
        ways.put(P2pWay.IPC, new HandleWay());
        P2pWay wanted = config.get(P2pOptions.WAY);
        if (wanted != P2pWay.AUTO) {
            ways.keySet().retainAll(Set.of(wanted));
        }
        if (config.get(P2pOptions.DIRECT_DISABLE) != 0) {
            ways.remove(P2pWay.DIRECT);
        }
    }

    /** Empty if there is one. The other rank comes to the same answer. */
    String whyNot(PeerInfo self, PeerInfo peer) {
        return choose(self, peer) != P2pWay.AUTO ? "" : ways.isEmpty() ? P2pOptions.WAY.key() + " and "
                + P2pOptions.DIRECT_DISABLE.key() + " leave no way for memory" : ways.entrySet().stream()
                .map(entry -> name(entry.getKey()) + ": " + entry.getValue().whyNot(self, peer))
                .collect(Collectors.joining("; "));
    }

    /** AUTO if there is none. */
    P2pWay choose(PeerInfo self, PeerInfo peer) {
        return ways.entrySet().stream().filter(entry -> entry.getValue().whyNot(self, peer).isEmpty())
                .map(Map.Entry::getKey).findFirst().orElse(P2pWay.AUTO);
    }

    MemoryWay of(P2pWay way) {
        MemoryWay found = ways.get(way);
        if (found == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "P2P memory of a peer comes by way of " + name(way)
                    + ", which " + P2pOptions.WAY.key() + " or " + P2pOptions.DIRECT_DISABLE.key()
                    + " does not allow here; set them alike at all ranks");
        }
        return found;
    }

    String describe() {
        return ways.keySet().stream().map(Ways::name).collect(Collectors.joining(", or "));
    }

    static String name(P2pWay way) {
        return way.name().toLowerCase(Locale.ROOT);
    }

    /** Empty if both ranks' devices have a capability, else who has not. */
    static String whoLacks(DeviceCapability capability, PeerInfo self, PeerInfo peer) {
        if (!self.device().has(capability)) {
            return "this rank's device " + self.device().name() + " has no " + capability;
        }
        return peer.device().has(capability) ? "" : "device " + peer.device().name() + " of rank " + peer.rank()
                + " has no " + capability;
    }

    static boolean isHost(PeerInfo rank) {
        return rank.device().kind().equals(Devices.HOST);
    }
}
