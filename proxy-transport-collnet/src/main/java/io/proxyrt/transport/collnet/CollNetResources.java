/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.Direction;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.core.transport.PooledBuffer;
import io.proxyrt.core.transport.Shares.Lease;
import java.lang.foreign.MemorySegment;

/**
 * What a connection has, at the proxy: control words of its own, and all else with the other connections of its head.
 * The service thread fills it; once the connection is set up the progress thread uses it.
 */
final class CollNetResources {
    final int channelId;
    SendMem sendMem;
    RecvMem recvMem;
    /** The absolute step after the last op; progress thread. */
    long step;

    private final Direction direction;
    private final Lease<CollNetShared> lease;
    private final MemoryAccount account;
    private PooledBuffer control;

    /** The lease and the account are the connection's from now on. */
    CollNetResources(int channelId, Direction direction, Lease<CollNetShared> lease, MemoryAccount account) {
        this.channelId = channelId;
        this.direction = direction;
        this.lease = lease;
        this.account = account;
    }

    CollNetShared shared() {
        return lease.shared();
    }

    /** Makes the connection's words, in their initial state; again, if that was done before. */
    CollNetMap allocate(ConnectionMemory memory) {
        if (control == null) {
            control = memory.control(account);
            account.add(MemoryUse.CONTROL, control.bytes());
        }
        MemorySegment words = control.memory().segment();
        long recvOffset = control.offset() + ConnectionMemory.RECV_MEM_OFFSET;
        sendMem = new SendMem(words, control.offset());
        recvMem = new RecvMem(words, recvOffset);
        sendMem.head(direction == Direction.SEND ? -DeviceConnection.STEPS : 0);
        recvMem.tail(0);
        recvMem.reset(RecvMem.MODE_OFFSET);
        CollNetShared shared = shared();
        PooledBuffer pool = shared.buffer();
        return new CollNetMap(control.memory().id(), control.offset(), recvOffset, pool.memory().id(), pool.offset(),
                shared.bytes(), shared.slotBytes);
    }

    /** Gives everything back, whatever there is. Once. */
    void free() {
        if (control != null) {
            // A kernel that still runs, which it must not, finds neither credit nor data, rather than another's.
            sendMem.head(Long.MIN_VALUE);
            recvMem.tail(Long.MIN_VALUE);
        }
        new Closing().add(lease).add(control).add(account).end();
    }
}
