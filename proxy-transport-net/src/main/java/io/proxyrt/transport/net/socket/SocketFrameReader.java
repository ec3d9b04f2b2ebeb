/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Reads messages from a control socket. The staging buffer holds bytes that were read but not yet asked for: never the
 * payload of a message whose receive is being filled.
 */
final class SocketFrameReader {
    /** Takes in several small messages at once; what it takes of a large one is copied once more. */
    private static final int STAGING_BYTES = 16 << 10;

    private final SocketWire wire;
    private final SocketSession session;
    private final SocketRequests requests;
    private final SocketMessages messages;
    private final SocketStreams streams;
    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING_BYTES + SocketFrame.HEADER_BYTES).limit(0);
    private final MemorySegment stagingMemory = MemorySegment.ofBuffer(staging.duplicate().clear());
    /** Messages up to this one have left the control socket. */
    private long parsed;
    private boolean isInMessage;
    /** The control socket broke within the message behind {@code parsed}: its header comes again. */
    private boolean isResuming;
    /** Bytes of the message behind {@code parsed} that are in place. */
    private long filled;
    /** The last read took less than it could have: another one at once would be in vain. */
    private boolean isDrained;
    private long total;

    /** Over a connected socket, which stays the caller's. */
    SocketFrameReader(SocketWire wire, SocketSession session, SocketRequests requests, SocketStreams streams) {
        this.wire = wire;
        this.session = session;
        this.requests = requests;
        this.messages = requests.messages;
        this.streams = streams;
    }

    /** Messages up to this one are read, but for what data sockets carry of them. */
    long parsed() {
        return parsed;
    }

    /** Whether part of the next message is read. */
    boolean isInMessage() {
        return isInMessage;
    }

    /** Bytes read so far. */
    long total() {
        return total;
    }

    /**
     * Whether there is something to go on with that was read already. With less than a header it needs more; and what
     * is no message waits for those ahead of it.
     */
    boolean hasBytes() {
        return parsed < requests.posted() && requests.complete() == parsed
                && staging.remaining() >= SocketFrame.HEADER_BYTES;
    }

    /** Takes it that the socket may have more by now. */
    void refresh() {
        isDrained = false;
    }

    /** Reads until so many messages are read, or the socket is empty. What it must not bring fails the requests. */
    void read(long upTo) throws IOException {
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

    /** Says how far it is. */
    void tell(SocketCursor cursor) {
        cursor.set(parsed + 1, isInMessage || isResuming ? filled : 0);
    }

    /** Goes on there, on another socket. */
    void resume() {
        isResuming |= isInMessage;
        isInMessage = false;
        isDrained = false;
        staging.clear().limit(0);
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
        int sequence = staging.getInt(position + SocketFrame.SEQUENCE);
        if (!isDue(sizeAndFlags, sequence) || !isFitting(sizeAndFlags, position)) {
            return false;
        }
        int place = SocketMessages.place(parsed + 1);
        messages.sizes[place] = SocketFrame.size(sizeAndFlags);
        messages.stamps[place] = staging.getInt(position + SocketFrame.STAMP);
        messages.sums[place] = staging.getInt(position + SocketFrame.CHECKSUM);
        staging.position(position + SocketFrame.HEADER_BYTES);
        if (SocketFrame.isInline(sizeAndFlags)) {
            filled = isResuming ? filled : 0;
            isResuming = false;
            isInMessage = true;
        } else {
            streams.stripe(++parsed);
        }
        return true;
    }

    private boolean isDue(long sizeAndFlags, int sequence) {
        if (SocketFrame.isGoodbye(sizeAndFlags, session.terms())) {
            if (requests.complete() == parsed) {
                requests.closedByPeer();
            }
            return false;
        }
        boolean isSame = !isResuming || SocketFrame.isInline(sizeAndFlags)
                && SocketFrame.size(sizeAndFlags) == messages.sizes[SocketMessages.place(parsed + 1)];
        if (isSame && sequence == (int) (parsed + 1) && SocketFrame.isSound(sizeAndFlags, session.terms())) {
            return true;
        }
        requests.fail(ProxyResult.REMOTE_ERROR, "connection to " + session.peer() + " brought message " + sequence
                + " of " + SocketFrame.size(sizeAndFlags) + " bytes, flags " + SocketFrame.flags(sizeAndFlags)
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
        if (requests.complete() == parsed) {
            requests.fail(ProxyResult.INVALID_USAGE, "connection to " + session.peer() + " brought a message of "
                    + bytes + " bytes with tag " + staging.getInt(position + SocketFrame.TAG)
                    + ", but the receive posted for it has " + messages.sizes[place] + " bytes and tag "
                    + messages.tags[place]);
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
            return isUsable(wire.readAhead(staging, stagingMemory), staging.remaining());
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
        int bytes = wire.read(view);
        filled += bytes;
        return isUsable(bytes, view.remaining());
    }

    private boolean isUsable(int bytes, int room) {
        total += bytes;
        isDrained = room > 0;
        return bytes > 0;
    }
}
