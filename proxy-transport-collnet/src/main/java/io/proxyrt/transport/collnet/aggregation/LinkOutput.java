/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.transport.collnet.wire.ResultHeader;
import java.io.IOException;
import java.nio.ByteBuffer;

/** What goes out to a connection: control frames, results, and why the group ends. Confined to the group's thread. */
final class LinkOutput {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Link link;
    private final Port port;
    private final ByteBuffer header = ByteBuffer.allocateDirect(ResultHeader.BYTES).limit(0);
    private ByteBuffer word = NOTHING;
    private ByteBuffer reason = NOTHING;
    private boolean isLast;
    private long cursor;
    private Slot slot;
    private int at;
    private int end;

    LinkOutput(Link link, Port port) {
        this.link = link;
        this.port = port;
    }

    /** Of the first slot that is not sent. */
    long cursor() {
        return cursor;
    }

    /** Sends a control frame before the first result. */
    void say(ByteBuffer frame) {
        word = ByteBuffer.allocate(word.remaining() + frame.remaining()).put(word).put(frame).flip();
    }

    /** Sends a frame behind all results that are there, and nothing else. */
    void sayLast(ByteBuffer frame) {
        reason = frame;
        isLast = true;
    }

    /** Writes what the socket takes; returns whether anything went out. */
    boolean send(ChunkRing ring, Parts parts) throws IOException {
        boolean isMoving = false;
        while (port.mayWrite()) {
            if (word.hasRemaining()) {
                isMoving |= port.write(word);
            } else if (slot != null) {
                isMoving |= sendSlot(parts);
            } else if (ring != null && cursor < ring.head()) {
                open(ring.at(cursor), parts);
            } else if (reason.hasRemaining()) {
                word = reason;
                reason = NOTHING;
            } else {
                return isMoving;
            }
        }
        return isMoving;
    }

    /** How many chunks of a ring have not gone out whole. */
    long unread(ChunkRing ring) {
        return ring == null ? 0 : ring.head() - cursor;
    }

    /** Whether all has gone out, with the reason why the group ends. */
    boolean isOver() {
        return isLast && !reason.hasRemaining() && !word.hasRemaining() && slot == null;
    }

    private void open(Slot next, Parts parts) {
        final Call call = next.call();
        final long bytes = call.isScatter()
                ? parts.bytes(call, link, next.offset(), next.offset() + next.bytes()) : next.bytes();
        if (bytes == 0 && (next.offset() > 0 || call.bytesDown(link.ranks()) > 0)) {
            cursor++;
            return;
        }
        slot = next;
        if (call.isScatter()) {
            ResultHeader.put(header.clear(), call.seq(), bytes);
            at = Slot.PAYLOAD_AT;
            end = at;
            findRange(parts);
        } else {
            at = next.putResult();
            end = Slot.PAYLOAD_AT + next.bytes();
        }
    }

    private boolean findRange(Parts parts) {
        final long base = slot.offset() - Slot.PAYLOAD_AT;
        if (!slot.call().isScatter() || !parts.find(slot.call(), link, base + end, slot.offset() + slot.bytes())) {
            return false;
        }
        at = (int) (parts.begin() - base);
        end = (int) (parts.end() - base);
        return true;
    }

    private boolean sendSlot(Parts parts) throws IOException {
        if (header.hasRemaining()) {
            port.write(header);
            return !header.hasRemaining();
        }
        final ByteBuffer frame = slot.frame().clear().limit(end).position(at);
        final boolean isMoving = at < end && port.writeSlot(frame);
        at = frame.position();
        if (at == end && !findRange(parts)) {
            slot = null;
            cursor++;
        }
        return isMoving;
    }
}
