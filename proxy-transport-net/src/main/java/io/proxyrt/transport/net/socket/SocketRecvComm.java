/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * Receives. The staging buffer holds bytes that were read but not yet asked for: never the payload of a message whose
 * receive is being filled.
 */
final class SocketRecvComm extends SocketComm implements NetRecvComm {
    /** Takes in several small messages at once; what it takes of a large one is copied once more. */
    private static final int STAGING_BYTES = (16 << 10) + SocketFrame.HEADER_BYTES;
    /** Bounds the time that one system call may take. */
    private static final int READ_BYTES = 1 << 20;

    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING_BYTES).limit(0);
    private final MemorySegment stagingMemory = MemorySegment.ofBuffer(staging.duplicate().clear());
    private boolean isInMessage;
    /** Bytes of the current message that are in place. */
    private long filled;
    /** The last read took less than it could have: another one at once would be in vain. */
    private boolean isDrained;

    SocketRecvComm(SocketChannel channel, String peer, SocketReadiness readiness) {
        super(channel, peer, readiness, SelectionKey.OP_READ);
    }

    @Override
    public NetMemory regMr(MemorySegment buffer) {
        if (buffer.isReadOnly()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "read-only memory cannot receive");
        }
        return super.regMr(buffer);
    }

    @Override
    public long irecv(int n, NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
        return n == 1 ? post(memories[0], offsets[0], sizes[0], tags[0])
                : refuse("an irecv of " + n + " messages on the connection with " + peer() + ": sockets take 1");
    }

    @Override
    public long iflush(int n, NetMemory[] memories, long[] offsets, long[] sizes) {
        return 0;
    }

    @Override
    void progress(long request) throws IOException {
        isDrained = false;
        while (complete < request) {
            if (!isInMessage && !begin()) {
                return;
            }
            unstage();
            if (!isFilled() && !readRest()) {
                return;
            }
            if (isFilled()) {
                isInMessage = false;
                complete++;
            }
        }
    }

    /** Parses the next header, if it is there. */
    private boolean begin() throws IOException {
        while (staging.remaining() < SocketFrame.HEADER_BYTES) {
            if (isDrained || !readStaging()) {
                return false;
            }
        }
        long bytes = staging.getLong();
        int tag = staging.getInt();
        int sequence = staging.getInt();
        int place = place(complete + 1);
        if (bytes < 0 || sequence != (int) (complete + 1)) {
            fail(ProxyResult.REMOTE_ERROR, "connection to " + peer() + " brought message " + sequence + " of " + bytes
                    + " bytes where message " + (complete + 1) + " was due");
            return false;
        }
        if (bytes > sizes[place]) {
            fail(ProxyResult.INVALID_USAGE, "connection to " + peer() + " brought a message of " + bytes
                    + " bytes with tag " + tag + ", but the receive posted for it has " + sizes[place]
                    + " bytes and tag " + tags[place]);
            return false;
        }
        sizes[place] = bytes;
        filled = 0;
        isInMessage = true;
        return true;
    }

    private boolean isFilled() {
        return filled == sizes[place(complete + 1)];
    }

    private void unstage() {
        int place = place(complete + 1);
        long bytes = Math.min(staging.remaining(), sizes[place] - filled);
        if (bytes > 0) {
            int position = staging.position();
            MemorySegment.copy(stagingMemory, position, memories[place].segment(), offsets[place] + filled, bytes);
            staging.position(position + (int) bytes);
            filled += bytes;
        }
    }

    private boolean readStaging() throws IOException {
        staging.compact();
        try {
            return isUsable(channel.read(staging), staging.remaining());
        } finally {
            staging.flip();
        }
    }

    private boolean readRest() throws IOException {
        if (isDrained) {
            return false;
        }
        int place = place(complete + 1);
        ByteBuffer view = memories[place].view(offsets[place] + filled, Math.min(sizes[place] - filled, READ_BYTES));
        int bytes = channel.read(view);
        filled += Math.max(bytes, 0);
        return isUsable(bytes, view.remaining());
    }

    private boolean isUsable(int bytes, int room) {
        if (bytes < 0) {
            closedByPeer();
        }
        isDrained = room > 0;
        return bytes > 0;
    }
}
