/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * What the two sides of a link have told each other, over one connection after the other: counts the numbered frames of
 * both directions and, if the link can be resumed, keeps those that the other side may not have got. Confined to one
 * thread.
 */
final class Conversation {
    /** This side acknowledges what it received after this many bytes, or with the next heartbeat. */
    static final int REPORT_BYTES = 256 << 10;
    private final boolean isResumable;
    private final ArrayDeque<ByteBuffer> unacknowledged = new ArrayDeque<>();
    private long sent;
    private long acknowledged;
    private long received;
    private long keptBytes;
    private long reportedBytes;

    Conversation(boolean isResumable) {
        this.isResumable = isResumable;
    }

    /** Sends a frame over the link; if that is broken or breaks, it goes over the next one. */
    void offer(Link link, ByteBuffer frame) {
        assert MessageCodec.isNumbered(MessageCodec.type(frame)) : frame;
        if (isResumable) {
            unacknowledged.addLast(frame.duplicate());
            keptBytes += frame.remaining();
        }
        sent++;
        if (link.isOpen()) {
            link.offer(frame);
        }
    }

    /** A message came. */
    void heard(Message message) {
        if (MessageCodec.isNumbered(message.type())) {
            received++;
        } else if (message instanceof Message.Heartbeat heartbeat) {
            acknowledge(heartbeat.received());
        }
    }

    /** Numbered frames that came. */
    long received() {
        return received;
    }

    /** Bytes that the other side may not have got. */
    long keptBytes() {
        return keptBytes;
    }

    /** A sign of life, which says how far this side is. */
    Message.Heartbeat heartbeat(Link link) {
        reportedBytes = link.readBytes();
        return new Message.Heartbeat(received);
    }

    /** Whether the other side keeps much that has come already. */
    boolean isReportDue(Link link) {
        return isResumable && link.readBytes() - reportedBytes >= REPORT_BYTES;
    }

    /** Goes on over a new connection, behind what the other side has got. */
    void resume(Link link, long count) {
        acknowledge(count);
        reportedBytes = link.readBytes();
        unacknowledged.forEach(frame -> link.offer(frame.duplicate()));
    }

    private void acknowledge(long count) {
        if (count < acknowledged || count > sent) {
            throw MessageReader.malformed("an acknowledgement of " + count + " frames, where " + acknowledged + " to "
                    + sent + " can be");
        }
        for (; acknowledged < count; acknowledged++) {
            if (isResumable) {
                keptBytes -= unacknowledged.removeFirst().remaining();
            }
        }
    }
}
