/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.MemoryAccounts;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.Shares;
import io.proxyrt.core.transport.Shares.Lease;
import io.proxyrt.transport.collnet.CollNetMessages.Setup;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;

/**
 * What the connections of each head share, and for how many channels each owner said that it is to be. Service thread.
 */
final class CollNetShares {
    private final CollNetPlugin plugin;
    private final ConnectionMemory memory;
    private final MemoryAccounts accounts;
    private final long slotBytes;
    private final Shares<PeerId, Channels> announced = new Shares<>();
    private final Shares<Key, CollNetShared> heads = new Shares<>();

    CollNetShares(CollNetPlugin plugin, ConnectionMemory memory, MemoryAccounts accounts, long slotBytes) {
        this.plugin = plugin;
        this.memory = memory;
        this.accounts = accounts;
        this.slotBytes = slotBytes;
    }

    /** A rank may be several heads, each with a comm of its own. */
    private record Key(PeerId owner, int head) {
    }

    /** The most that an owner has announced. */
    private static final class Channels implements AutoCloseable {
        private int count;

        @Override
        public void close() {
            // It is a number.
        }
    }

    /** An owner's heads are to have so many channels, from now until what is returned is closed. */
    AutoCloseable announce(PeerId owner, int channels) {
        if (channels < 1 || channels > ConnectorEnd.MAX_CHANNELS) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "COLLNET SharedInit for " + channels
                    + " channels; 1 to " + ConnectorEnd.MAX_CHANNELS + " can be had");
        }
        Lease<Channels> lease = announced.acquire(owner, Channels::new);
        Channels all = lease.shared();
        all.count = Math.max(all.count, channels);
        return lease;
    }

    /** What the connections of a head share; made for the first of them. */
    Lease<CollNetShared> acquire(PeerId owner, Setup setup) {
        Key key = new Key(owner, setup.end().connIndex());
        Lease<CollNetShared> lease = heads.acquire(key, () -> open(key, adapter(key, setup)));
        CollNetShared shared = lease.shared();
        if (setup.end().channelId() >= shared.channels) {
            lease.close();
            throw new ProxyException(ProxyResult.INVALID_USAGE, shared + ": Setup of channel "
                    + setup.end().channelId()
                    + ", and SharedInit was for " + shared.channels + " channels");
        }
        return lease;
    }

    /** Heads that have something; for tests. */
    int size() {
        return heads.size() + announced.size();
    }

    /** Heads have the devices in turn, unless they ask for one; the proxy's plug-in says how many there are. */
    private int adapter(Key key, Setup setup) {
        int devices = plugin.devices();
        if (setup.adapter() != ConnectorRequest.ANY_ADAPTER && (setup.adapter() < 0 || setup.adapter() >= devices)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "COLLNET Setup of head " + key.head + " by "
                    + key.owner + " asks for adapter " + setup.adapter() + ", of " + devices);
        }
        return setup.adapter() == ConnectorRequest.ANY_ADAPTER ? key.head % devices : setup.adapter();
    }

    private CollNetShared open(Key key, int netDev) {
        Channels channels = announced.get(key.owner);
        if (channels == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "COLLNET Setup of head " + key.head + " by "
                    + key.owner + " without SharedInit, which says for how many channels");
        }
        CollNetShared shared = new CollNetShared(plugin, key.head, netDev, channels.count, slotBytes,
                accounts.open(CollNetTransport.NAME, 0, key.owner.rank(), Direction.SEND));
        try {
            shared.open(memory);
            return shared;
        } catch (RuntimeException | Error e) {
            new Closing().add(shared);
            throw e;
        }
    }
}
