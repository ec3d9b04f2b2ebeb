/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

/**
 * What stands before each message.
 *
 * <pre>
 *  size long | tag int | sequence int     big-endian; sequence counts the messages of the connection from 1
 * </pre>
 */
final class SocketFrame {
    static final int HEADER_BYTES = 16;

    private SocketFrame() {
    }
}
