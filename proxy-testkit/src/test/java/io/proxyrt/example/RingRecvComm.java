/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Brings each message to the first posted receive that has a member of its tag. */
final class RingRecvComm extends RingComm implements NetRecvComm {
    static final int MAX_RECVS = 8;
    private static final int NONE = -1;

    private final NetMemory[] memories = new NetMemory[MAX_REQUESTS * MAX_RECVS];
    private final long[] offsets = new long[MAX_REQUESTS * MAX_RECVS];
    private final long[] sizes = new long[MAX_REQUESTS * MAX_RECVS];
    private final int[] tags = new int[MAX_REQUESTS * MAX_RECVS];
    private final boolean[] isAwaited = new boolean[MAX_REQUESTS * MAX_RECVS];
    private int member = NONE;
    private long moved;

    RingRecvComm(PacketRing ring, String peer) {
        super(ring, peer);
    }

    @Override
    public NetMemory regMr(MemorySegment buffer) {
        if (buffer.isReadOnly()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory to receive into cannot be read-only");
        }
        return super.regMr(buffer);
    }

    @Override
    public long irecv(int n, NetMemory[] groupMemories, long[] groupOffsets, long[] groupSizes, int[] groupTags) {
        int room = admit();
        if (room <= 0) {
            return room;
        }
        if (n < 1 || n > MAX_RECVS) {
            return refuse("a group has 1 to " + MAX_RECVS + " messages, not " + n);
        }
        for (int i = 0; i < n; i++) {
            if (!isWithin(groupMemories[i], groupOffsets[i], groupSizes[i])) {
                return refuse("bytes " + groupOffsets[i] + " to " + groupOffsets[i] + " + " + groupSizes[i]
                        + " are not registered");
            }
        }
        int first = place(++posted) * MAX_RECVS;
        System.arraycopy(groupMemories, 0, memories, first, n);
        System.arraycopy(groupOffsets, 0, offsets, first, n);
        System.arraycopy(groupSizes, 0, sizes, first, n);
        System.arraycopy(groupTags, 0, tags, first, n);
        Arrays.fill(isAwaited, first, first + n, true);
        left[place(posted)] = n;
        return posted;
    }

    @Override
    public int test(long request, long[] received) {
        int result = super.test(request, received);
        if (result == 1) {
            System.arraycopy(sizes, place(request) * MAX_RECVS, received, 0, Math.min(received.length, MAX_RECVS));
        }
        return result;
    }

    @Override
    public long iflush(int n, NetMemory[] received, long[] receivedOffsets, long[] receivedSizes) {
        return 0;
    }

    @Override
    void progress() {
        // First this, then what is in the ring: a sender that goes has filled its last packet.
        boolean isLast = ring.isSenderGone;
        while (!ring.isEmpty()) {
            member = member == NONE ? find(ring.tag()) : member;
            if (member == NONE) {
                return;
            }
            long bytes = ring.messageBytes();
            if (bytes > sizes[member]) {
                fail(ProxyResult.INVALID_USAGE, "a message of " + bytes + " bytes came for " + sizes[member]);
                return;
            }
            moved += ring.empty(memories[member].segment(), offsets[member] + moved);
            if (moved == bytes) {
                finish(bytes);
            }
        }
        if (isLast) {
            fail(ProxyResult.REMOTE_ERROR, "closed by the peer");
        }
    }

    @Override
    public void close() {
        ring.isReceiverGone = true;
        ring.senderBell.ring();
    }

    private int find(int tag) {
        for (long request = Math.max(1, posted - MAX_REQUESTS + 1); request <= posted; request++) {
            int first = place(request) * MAX_RECVS;
            for (int i = first; i < first + MAX_RECVS; i++) {
                if (isAwaited[i] && tags[i] == tag) {
                    return i;
                }
            }
        }
        return NONE;
    }

    private void finish(long bytes) {
        isAwaited[member] = false;
        sizes[member] = bytes;
        left[member / MAX_RECVS]--;
        member = NONE;
        moved = 0;
    }
}
