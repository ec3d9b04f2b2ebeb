/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

/**
 * What stands before each message, on the control socket. A message that is inline follows its header; of any other the
 * data sockets carry the chunks that {@link SocketMessages} reckons. All big-endian.
 *
 * <pre>
 *   0                   8         12        16
 *  +-----+-------------+---------+---------+----------------- - -
 *  |flags| size, 7 B   | tag     | sequence| the message, if it is inline
 *  +-----+-------------+---------+---------+----------------- - -
 * </pre>
 *
 * Flag 1: not inline. The sequence counts the messages of the connection from 1.
 */
final class SocketFrame {
    static final int HEADER_BYTES = 16;
    private static final int FLAGS_SHIFT = 56;
    private static final long SIZE_MASK = (1L << FLAGS_SHIFT) - 1;
    private static final int STRIPED = 1;

    private SocketFrame() {
    }

    static long sizeAndFlags(long size, boolean isInline) {
        return size | (isInline ? 0 : (long) STRIPED << FLAGS_SHIFT);
    }

    static long size(long sizeAndFlags) {
        return sizeAndFlags & SIZE_MASK;
    }

    static int flags(long sizeAndFlags) {
        return (int) (sizeAndFlags >>> FLAGS_SHIFT);
    }

    static boolean isInline(long sizeAndFlags) {
        return flags(sizeAndFlags) == 0;
    }

    /** Whether there are no flags but those that a connection with or without data sockets knows. */
    static boolean isSound(long sizeAndFlags, boolean hasStreams) {
        int flags = flags(sizeAndFlags);
        return flags == 0 || hasStreams && flags == STRIPED;
    }
}
