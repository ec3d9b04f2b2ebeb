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
 * Receives. The staging buffer holds bytes of the control socket that were read but not yet asked for: never the
 * payload of a message whose receive is being filled.
 */
final class SocketRecvComm extends SocketComm implements NetRecvComm {
    /** Takes in several small messages at once; what it takes of a large one is copied once more. */
    private static final int STAGING_BYTES = (16 << 10) + SocketFrame.HEADER_BYTES;

    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING_BYTES).limit(0);
    private final MemorySegment stagingMemory = MemorySegment.ofBuffer(staging.duplicate().clear());
    /** Messages up to this one have left the control socket. */
    private long parsed;
    private boolean isInMessage;
    /** Bytes of the message behind {@code parsed} that are in place. */
    private long filled;
    /** The last read took less than it could have: another one at once would be in vain. */
    private boolean isDrained;
    private long total;

    SocketRecvComm(SocketCommFactory factory, SocketChannel[] channels, SocketTerms terms, String peer) {
        super(factory, channels, terms, peer);
    }

    @Override
    SocketStream stream(int index, SocketWire wire) {
        return new SocketRecvStream(index, wire, messages);
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
        // Headers are read ahead of what is asked for only where data sockets can do something with them.
        long upTo = streams.length == 0 ? request : posted;
        boolean isMoving = true;
        while (isMoving && complete < request && !result().isError()) {
            pull(upTo);
            isMoving = driveStreams();
            settle();
        }
    }

    @Override
    int controlOps() {
        return parsed < posted ? SelectionKey.OP_READ : 0;
    }

    @Override
    long controlDone() {
        return parsed;
    }

    @Override
    long controlTotal() {
        return total;
    }

    @Override
    boolean isPeerInDebt() {
        return isInMessage || complete < parsed;
    }

    /** Reads the control socket until so many messages have left it, or it is empty. */
    private void pull(long upTo) throws IOException {
        while (parsed < upTo) {
            if (!isInMessage && !begin()) {
                return;
            }
            if (isInMessage) {
                unstage();
                if (!isFilled() && !readRest()) {
                    return;
                }
                finishIfFilled();
            }
        }
    }

    private void finishIfFilled() {
        if (isFilled()) {
            isInMessage = false;
            messages.inline(++parsed);
        }
    }

    /** Parses the next header, if it is there. Returns false if there is nothing more to do now. */
    private boolean begin() throws IOException {
        while (staging.remaining() < SocketFrame.HEADER_BYTES) {
            if (isDrained || !readStaging()) {
                return false;
            }
        }
        int position = staging.position();
        long sizeAndFlags = staging.getLong(position);
        if (!isDue(sizeAndFlags, staging.getInt(position + 12)) || !isFitting(sizeAndFlags, position)) {
            return false;
        }
        staging.position(position + SocketFrame.HEADER_BYTES);
        messages.sizes[SocketMessages.place(parsed + 1)] = SocketFrame.size(sizeAndFlags);
        if (SocketFrame.isInline(sizeAndFlags)) {
            filled = 0;
            isInMessage = true;
        } else {
            stripe(++parsed);
        }
        return true;
    }

    private boolean isDue(long sizeAndFlags, int sequence) {
        if (sequence == (int) (parsed + 1) && SocketFrame.isSound(sizeAndFlags, streams.length > 0)) {
            return true;
        }
        fail(ProxyResult.REMOTE_ERROR, "connection to " + peer() + " brought message " + sequence + " of "
                + SocketFrame.size(sizeAndFlags) + " bytes, flags " + SocketFrame.flags(sizeAndFlags)
                + ", where message " + (parsed + 1) + " was due");
        return false;
    }

    /** A message too long fails the comm, but not before those ahead of it are complete. */
    private boolean isFitting(long sizeAndFlags, int position) {
        long bytes = SocketFrame.size(sizeAndFlags);
        int place = SocketMessages.place(parsed + 1);
        if (bytes <= messages.sizes[place]) {
            return true;
        }
        if (complete == parsed) {
            fail(ProxyResult.INVALID_USAGE, "connection to " + peer() + " brought a message of " + bytes
                    + " bytes with tag " + staging.getInt(position + 8) + ", but the receive posted for it has "
                    + messages.sizes[place] + " bytes and tag " + messages.tags[place]);
        }
        return false;
    }

    private boolean isFilled() {
        return filled == messages.sizes[SocketMessages.place(parsed + 1)];
    }

    private void unstage() {
        int place = SocketMessages.place(parsed + 1);
        long bytes = Math.min(staging.remaining(), messages.sizes[place] - filled);
        if (bytes > 0) {
            int position = staging.position();
            MemorySegment.copy(stagingMemory, position, messages.memories[place].segment(),
                    messages.offsets[place] + filled, bytes);
            staging.position(position + (int) bytes);
            filled += bytes;
        }
    }

    private boolean readStaging() throws IOException {
        staging.compact();
        try {
            return isUsable(control.readAhead(staging, stagingMemory), staging.remaining());
        } finally {
            staging.flip();
        }
    }

    private boolean readRest() throws IOException {
        if (isDrained) {
            return false;
        }
        int place = SocketMessages.place(parsed + 1);
        ByteBuffer view = messages.memories[place].view(0, messages.offsets[place] + filled,
                Math.min(messages.sizes[place] - filled, SocketStream.CALL_BYTES));
        int bytes = control.read(view);
        filled += bytes;
        return isUsable(bytes, view.remaining());
    }

    private boolean isUsable(int bytes, int room) {
        total += bytes;
        isDrained = room > 0;
        return bytes > 0;
    }
}
