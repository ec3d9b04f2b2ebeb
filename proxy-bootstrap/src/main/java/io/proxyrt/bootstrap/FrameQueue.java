/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** What links have whatever carries their frames: those that wait to be sent, limits, and counts. */
abstract class FrameQueue implements Link {
    private final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
    private Runnable ready = () -> { };
    private int maxBodyBytes;
    private long queuedBytes;
    private long readBytes;

    FrameQueue(int maxBodyBytes) {
        this.maxBodyBytes = maxBodyBytes;
    }

    @Override
    public final void onReady(Runnable what) {
        ready = what;
    }

    /** Runs what was to run when there is something to do. */
    final void runReady() {
        ready.run();
    }

    @Override
    public final void maxBodyBytes(int bytes) {
        maxBodyBytes = bytes;
    }

    /** Throws {@code REMOTE_ERROR} for a body that is longer than any may be, or has less than nothing. */
    final void requireBody(int length) {
        if (length < 0 || length > maxBodyBytes) {
            throw MessageReader.malformed("a frame of " + Integer.toUnsignedString(length) + " bytes, where "
                    + maxBodyBytes + " are allowed");
        }
    }

    @Override
    public final long queuedBytes() {
        return queuedBytes;
    }

    @Override
    public final long readBytes() {
        return readBytes;
    }

    final void countRead(int bytes) {
        readBytes += bytes;
    }

    final void countSent(int bytes) {
        queuedBytes -= bytes;
    }

    @Override
    public final void offer(ByteBuffer frame) {
        queuedBytes += frame.remaining();
        out.addLast(frame);
    }

    /** Frames that are not sent, or not whole; the first first. */
    final ArrayDeque<ByteBuffer> queued() {
        return out;
    }

    final void dropQueued() {
        out.clear();
        queuedBytes = 0;
    }
}
