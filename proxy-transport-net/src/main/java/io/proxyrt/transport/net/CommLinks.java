/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.NetMessages.Sender;
import io.proxyrt.transport.net.NetMessages.Setup;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * The comms of a proxy. Connections share one if they are shared connections, the network groups receives, and the
 * option says so. The sender decides, and tells the receiver by an id which of its connections belong together: two
 * sides that each went by the ranks alone could take a comm that the other has just closed for one that is new. Service
 * thread.
 */
final class CommLinks {
    private final NetPlugin plugin;
    private final boolean isSharing;
    private final Map<SendKey, CommLink.Send> sends = new HashMap<>();
    private final Map<RecvKey, CommLink.Recv> recvs = new HashMap<>();
    private final Map<Integer, MrCache> deviceMemory = new HashMap<>();
    private final RandomGenerator ids = RandomGenerator.getDefault();

    CommLinks(NetPlugin plugin, boolean isSharing) {
        this.plugin = plugin;
        this.isSharing = isSharing;
    }

    private record SendKey(int netDev, int remoteRank, int channelId) {
    }

    private record RecvKey(int proxyRank, long commId) {
    }

    /** To be left by {@link CommLink#leave}. */
    CommLink.Send send(Setup setup) {
        CommLink.Send link;
        if (isSharing && setup.isShared() && isGrouping(setup.netDev())) {
            SendKey key = new SendKey(setup.netDev(), setup.remoteRank(), setup.channelId());
            link = sends.computeIfAbsent(key, any -> new CommLink.Send(
                    ids.nextLong() | 1, memory(setup.netDev()), () -> sends.remove(key)));
        } else {
            link = new CommLink.Send(0, memory(setup.netDev()), () -> { });
        }
        link.join();
        return link;
    }

    /** To be left by {@link CommLink#leave}. */
    CommLink.Recv recv(Sender sender, int netDev) {
        CommLink.Recv link;
        if (sender.commId() == 0) {
            link = new CommLink.Recv(memory(netDev), () -> { });
        } else if (isGrouping(netDev)) {
            RecvKey key = new RecvKey(sender.proxyRank(), sender.commId());
            link = recvs.computeIfAbsent(key, any -> new CommLink.Recv(memory(netDev), () -> recvs.remove(key)));
        } else {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + sender.rank() + " sends over a comm that "
                    + "several connections share, but device " + netDev + " of network " + plugin.name()
                    + " groups no receives; do all ranks use the same network? Else set " + NetOptions.SHARED_COMMS
                    + " to 0");
        }
        link.join();
        return link;
    }

    int shared() {
        return sends.size() + recvs.size();
    }

    private boolean isGrouping(int netDev) {
        return plugin.properties(netDev).maxRecvs() > 1;
    }

    /** Null where each comm registers for itself. */
    private MrCache memory(int netDev) {
        return plugin.isRegistrationGlobal(netDev) ? deviceMemory.computeIfAbsent(netDev, any -> new MrCache()) : null;
    }
}
