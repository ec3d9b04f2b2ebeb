/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetSendComm;

/** Cuts messages into packets, one message after the other. */
final class RingSendComm extends RingComm implements NetSendComm {
    private final NetMemory[] memories = new NetMemory[MAX_REQUESTS];
    private final long[] offsets = new long[MAX_REQUESTS];
    private final long[] sizes = new long[MAX_REQUESTS];
    private final int[] tags = new int[MAX_REQUESTS];
    private long sent;
    private long moved;

    RingSendComm(PacketRing ring, String peer) {
        super(ring, peer);
    }

    @Override
    public long isend(NetMemory memory, long offset, long bytes, int tag) {
        int room = admit();
        if (room <= 0) {
            return room;
        }
        if (!isWithin(memory, offset, bytes)) {
            return refuse("bytes " + offset + " to " + offset + " + " + bytes + " are not registered");
        }
        int place = place(++posted);
        memories[place] = memory;
        offsets[place] = offset;
        sizes[place] = bytes;
        tags[place] = tag;
        left[place] = 1;
        drive();
        return posted;
    }

    @Override
    void progress() {
        if (ring.isReceiverGone) {
            fail(ProxyResult.REMOTE_ERROR, "closed by the peer");
        }
        while (sent < posted && !ring.isReceiverGone && !ring.isFull()) {
            int place = place(sent + 1);
            int part = (int) Math.min(PacketRing.PACKET_BYTES, sizes[place] - moved);
            ring.fill(memories[place].segment(), offsets[place] + moved, part, sizes[place], tags[place]);
            moved += part;
            if (moved == sizes[place]) {
                left[place] = 0;
                moved = 0;
                sent++;
            }
        }
    }

    @Override
    public void close() {
        ring.isSenderGone = true;
        ring.receiverBell.ring();
    }
}
