/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.transport.BufferBytes;

/**
 * What lies in the memory that one end of a connection makes.
 *
 * <pre>
 *             0         128       4096
 *  sender     +---------+---------+--------+
 *             | sendMem |         | Simple |   Simple: if it is read
 *             +---------+---------+--------+
 *  receiver   +---------+---------+--------+---------+--------+
 *             | recvMem           |   LL   |  LL128  | Simple |   Simple: if it is written
 *             +---------+---------+--------+---------+--------+
 * </pre>
 *
 * @param direction which end it is
 * @param isRead    whether the sender holds the Simple slots
 * @param isCopied  whether the sender's proxy copies them into the receiver's
 * @param buffers   their sizes, wherever they lie
 */
record EndLayout(Direction direction, boolean isRead, boolean isCopied, BufferBytes buffers) {
    private static final long WORDS_BYTES = 4096;
    /** A driver shares all that lies in one of these, so no other memory may. */
    private static final long DEVICE_UNIT = 2L << 20;

    /** All of it. */
    long bytes() {
        long bytes = WORDS_BYTES;
        for (Protocol protocol : Protocol.values()) {
            bytes += has(protocol) ? buffers.of(protocol) : 0;
        }
        return (bytes + DEVICE_UNIT - 1) / DEVICE_UNIT * DEVICE_UNIT;
    }

    /** Whether the slots of a protocol lie here. */
    boolean has(Protocol protocol) {
        boolean isSender = direction == Direction.SEND;
        return isSender ? isRead && protocol == Protocol.SIMPLE : !isRead || protocol != Protocol.SIMPLE;
    }

    /** Of slots that lie here. */
    long offset(Protocol protocol) {
        long offset = WORDS_BYTES;
        for (Protocol before : Protocol.values()) {
            if (before == protocol) {
                break;
            }
            offset += has(before) ? buffers.of(before) : 0;
        }
        return offset;
    }
}
