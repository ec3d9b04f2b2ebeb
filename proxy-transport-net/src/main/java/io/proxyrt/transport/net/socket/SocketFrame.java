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
 *   0                   8         12        16        20        24
 *  +-----+-------------+---------+---------+---------+---------+----------------- - -
 *  |flags| size, 7 B   | tag     | sequence| stamp   | CRC32C  | the message, if it is inline
 *  +-----+-------------+---------+---------+---------+---------+----------------- - -
 * </pre>
 *
 * Flag 1: not inline. Flag 2: no message follows, the sender is about to close, on connections that are resumed. The
 * sequence counts the messages of the connection from 1. The stamp is the caller's. CRC32C is 0 without checksums.
 *
 * <p>Connections that are resumed have acknowledgements on the control socket's way back: longs, each the number of the
 * last message that is complete, or -1 when the receiver is about to close.
 */
final class SocketFrame {
    static final int ACK_BYTES = 8;
    static final long GOODBYE_ACK = -1;
    static final int HEADER_BYTES = 24;
    static final int TAG = 8;
    static final int SEQUENCE = 12;
    static final int STAMP = 16;
    static final int CHECKSUM = 20;
    private static final int FLAGS_SHIFT = 56;
    private static final long SIZE_MASK = (1L << FLAGS_SHIFT) - 1;
    private static final int STRIPED = 1;
    private static final int GOODBYE = 2;

    private SocketFrame() {
    }

    static long sizeAndFlags(long size, boolean isInline) {
        return size | (isInline ? 0 : (long) STRIPED << FLAGS_SHIFT);
    }

    static long goodbye() {
        return (long) GOODBYE << FLAGS_SHIFT;
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

    /** Whether there are no flags but those that a message of a connection with these terms may have. */
    static boolean isSound(long sizeAndFlags, SocketTerms terms) {
        int flags = flags(sizeAndFlags);
        return flags == 0 || terms.sockets() > 0 && flags == STRIPED;
    }

    static boolean isGoodbye(long sizeAndFlags, SocketTerms terms) {
        return terms.isResumable() && sizeAndFlags == goodbye();
    }
}
