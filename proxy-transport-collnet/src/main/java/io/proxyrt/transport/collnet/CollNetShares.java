/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryAccounts;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.transport.collnet.CollNetMessages.Setup;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import java.util.HashMap;
import java.util.Map;

/**
 * What the connections of each head share, with a count of users, and for how many channels each owner said that it is
 * to be. Service thread.
 */
final class CollNetShares {
    private final CollNetPlugin plugin;
    private final ConnectionMemory memory;
    private final MemoryAccounts accounts;
    private final long slotBytes;
    private final Map<PeerId, Channels> announced = new HashMap<>();
    private final Map<Key, Entry> heads = new HashMap<>();

    CollNetShares(CollNetPlugin plugin, ConnectionMemory memory, MemoryAccounts accounts, long slotBytes) {
        this.plugin = plugin;
        this.memory = memory;
        this.accounts = accounts;
        this.slotBytes = slotBytes;
    }

    /** A rank may be several heads, each with a comm of its own. */
    private record Key(PeerId owner, int netDev, int head) {
    }

    private static final class Channels {
        private int count;
        private int users;
    }

    private static final class Entry {
        private final CollNetShared shared;
        private int users;

        Entry(CollNetShared shared) {
            this.shared = shared;
        }
    }

    /** The right of one connection to use what a head's connections share. */
    final class Lease implements AutoCloseable {
        private final Key key;
        private Entry entry;

        private Lease(Key key, Entry entry) {
            this.key = key;
            this.entry = entry;
            entry.users++;
        }

        CollNetShared shared() {
            return entry.shared;
        }

        /** Idempotent. */
        @Override
        public void close() {
            Entry left = entry;
            entry = null;
            if (left != null && --left.users == 0) {
                heads.remove(key);
                left.shared.close();
            }
        }
    }

    /** An owner's heads are to have so many channels, from now until what is returned is closed. */
    AutoCloseable announce(PeerId owner, int channels) {
        if (channels < 1 || channels > ConnectorEnd.MAX_CHANNELS) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "COLLNET SharedInit for " + channels
                    + " channels; 1 to " + ConnectorEnd.MAX_CHANNELS + " can be had");
        }
        Channels all = announced.computeIfAbsent(owner, any -> new Channels());
        all.count = Math.max(all.count, channels);
        all.users++;
        return () -> {
            if (--all.users == 0) {
                announced.remove(owner, all);
            }
        };
    }

    /** What the connections of a head share; made for the first of them. */
    Lease acquire(PeerId owner, Setup setup) {
        Key key = new Key(owner, setup.netDev(), setup.end().connIndex());
        Entry entry = heads.get(key);
        if (entry == null) {
            entry = new Entry(open(key));
            heads.put(key, entry);
        }
        Lease lease = new Lease(key, entry);
        if (setup.end().channelId() >= entry.shared.channels) {
            lease.close();
            throw new ProxyException(ProxyResult.INVALID_USAGE, "COLLNET Setup of channel " + setup.end().channelId()
                    + ": SharedInit was for " + entry.shared.channels + " channels");
        }
        return lease;
    }

    /** Heads that have something; for tests. */
    int size() {
        return heads.size() + announced.size();
    }

    private CollNetShared open(Key key) {
        Channels channels = announced.get(key.owner);
        if (channels == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "COLLNET Setup by " + key.owner
                    + " without SharedInit, which says for how many channels");
        }
        MemoryAccount account = accounts.open(CollNetTransport.NAME, 0, key.owner.rank(), Direction.SEND);
        CollNetShared shared = new CollNetShared(key.netDev, channels.count, slotBytes, account);
        try {
            shared.open(plugin, memory);
            return shared;
        } catch (RuntimeException | Error e) {
            new Closing().add(shared);
            throw e;
        }
    }
}
