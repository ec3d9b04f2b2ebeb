/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.ScatterGather;
import io.proxyrt.core.verbs.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Work requests that are chained, to be posted by one call. Their memory is used anew for each chain. */
final class WriteChain {
    private final MemorySegment requests;
    private final MemorySegment sges;
    private final int most;
    private final int inlineBytes;
    private int count;
    private long id;

    WriteChain(Arena arena, int most, int inlineBytes) {
        this.requests = arena.allocate(most * SendRequest.BYTES, SendRequest.BYTES);
        this.sges = arena.allocate(most * ScatterGather.BYTES, SendRequest.BYTES);
        this.most = most;
        this.inlineBytes = inlineBytes;
    }

    /** Begins a chain; the id comes back with each completion of it. */
    void begin(long id) {
        this.id = id;
        count = 0;
    }

    int count() {
        return count;
    }

    /** Adds a request for a piece of this end's memory: of the host's if it may go inline. */
    void add(int opcode, int flags, boolean isHosts, long address, int bytes, int lkey, long remote, int rkey) {
        assert count < most : count;
        long at = count * SendRequest.BYTES;
        boolean isInline = isHosts && bytes > 0 && bytes <= inlineBytes;
        long sge = count * ScatterGather.BYTES;
        ScatterGather.set(sges, sge, address, bytes, lkey);
        SendRequest.set(requests, at, id, opcode, isInline ? flags | SendRequest.INLINE : flags, sges.address() + sge,
                bytes == 0 ? 0 : 1);
        SendRequest.remote(requests, at, remote, rkey);
        if (count > 0) {
            SendRequest.next(requests, at - SendRequest.BYTES, requests.address() + at);
        }
        count++;
    }

    /** Gives the last request its immediate. */
    void immediate(int immediate) {
        SendRequest.immediate(requests, (count - 1) * SendRequest.BYTES, immediate);
    }

    /** Returns 0 or an errno. */
    int post(QueuePair pair) {
        assert count > 0 : "an empty chain";
        return pair.postSend(requests, 0);
    }
}
