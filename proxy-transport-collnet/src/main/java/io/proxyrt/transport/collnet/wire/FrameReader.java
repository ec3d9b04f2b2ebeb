/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Reads frame by frame, and not a byte more. One thread at a time; allocates nothing once made. */
public final class FrameReader {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(WireDescriptor.MAX_FRAME_BYTES);

    /** With nothing read. */
    public FrameReader() {
    }

    /**
     * Goes on reading a frame.
     *
     * @param channel in non-blocking mode
     * @param shape   of the frame
     * @return true if it is {@linkplain #frame() there}; then the next call begins another one only after {@link
     *         #clear()}
     * @throws EOFException if the peer has ended the connection
     * @throws IOException  if the connection broke
     * @throws io.proxyrt.core.ProxyException as the shape throws
     */
    public boolean read(ReadableByteChannel channel, FrameShape shape) throws IOException {
        for (int bytes = shape.bytes(buffer); buffer.position() < bytes; bytes = shape.bytes(buffer)) {
            final int n = channel.read(buffer.limit(bytes));
            if (n < 0) {
                throw new EOFException(buffer.position() == 0 ? "it closed the connection"
                        : "it closed the connection amid a frame");
            }
            if (n == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * What was read.
     *
     * @return from 0 to its position; valid until {@link #clear()}
     */
    public ByteBuffer frame() {
        return buffer;
    }

    /** Forgets the frame. */
    public void clear() {
        buffer.clear();
    }
}
