/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryAccounts;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.Shares;
import io.proxyrt.core.transport.Shares.Lease;

/**
 * The pools of shared slots, one for each posting peer and direction, and another one in the GPU's memory for networks
 * that reach it. Service thread.
 */
final class SharedPools {
    private static final long MAX_BYTES = 1L << 32;

    private final ConnectionMemory memory;
    private final MemoryAccounts accounts;
    private final int defaultChannels;
    private final long slotBytes;
    private final Shares<Key, SharedPool> pools = new Shares<>();

    SharedPools(ConnectionMemory memory, MemoryAccounts accounts, int defaultChannels, long slotBytes) {
        this.memory = memory;
        this.accounts = accounts;
        this.defaultChannels = defaultChannels;
        this.slotBytes = slotBytes;
    }

    private record Key(PeerId owner, Direction direction, boolean isOnDevice) {
    }

    /** The pool for a channel. */
    Lease<SharedPool> acquire(PeerId owner, Direction direction, int channelId, boolean isOnDevice) {
        return acquire(new Key(owner, direction, isOnDevice), channelId, Math.max(defaultChannels, channelId + 1));
    }

    /** The pool for the given number of channels. */
    Lease<SharedPool> acquireAll(PeerId owner, Direction direction, int channels, boolean isOnDevice) {
        if (channels < 1 || channels > ConnectorEnd.MAX_CHANNELS) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "NET SharedInit for " + channels + " channels; 1 to "
                    + ConnectorEnd.MAX_CHANNELS + " can be had");
        }
        return acquire(new Key(owner, direction, isOnDevice), channels - 1, channels);
    }

    int size() {
        return pools.size();
    }

    private Lease<SharedPool> acquire(Key key, int channelId, int channels) {
        Lease<SharedPool> lease = pools.acquire(key, () -> allocate(key, channels));
        int most = lease.shared().channels();
        if (channelId >= most) {
            lease.close();
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the shared buffers of " + key.owner + " are for "
                    + most + " channels, and channel " + channelId + " is asked for; raise " + NetOptions.P2P_CHANNELS);
        }
        return lease;
    }

    private SharedPool allocate(Key key, int channels) {
        long bytes = channels * SharedPool.SLOTS * slotBytes;
        if (bytes > MAX_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "shared buffers for " + channels + " channels would "
                    + "take " + bytes + " bytes; lower " + NetOptions.P2P_CHUNK_BYTES + " or "
                    + NetOptions.P2P_CHANNELS);
        }
        MemoryAccount account = accounts.open(NetTransport.NAME, 0, key.owner.rank(), key.direction);
        try {
            return new SharedPool(memory, key.isOnDevice, account, channels, slotBytes);
        } catch (Throwable t) {
            account.close();
            throw t;
        }
    }
}
