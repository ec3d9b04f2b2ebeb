/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The listen handle.
 *
 * <pre>
 *  magic long | version int | rank int | token long | port int | address length int | address, 4 or 16 bytes
 * </pre>
 *
 * @param rank    of the listener
 * @param token   64 random bits, which the connector shows
 * @param address where it listens
 */
record SocketHandle(int rank, long token, InetSocketAddress address) {
    static final long MAGIC = 0x564ab9f2fc4b9d6cL;
    static final int VERSION = 1;
    private static final int FIXED_BYTES = 8 + 4 + 4 + 8 + 4 + 4;

    ByteBuffer encode() {
        byte[] bytes = address.getAddress().getAddress();
        return ByteBuffer.allocate(FIXED_BYTES + bytes.length).putLong(MAGIC).putInt(VERSION).putInt(rank)
                .putLong(token).putInt(address.getPort()).putInt(bytes.length).put(bytes).flip().asReadOnlyBuffer();
    }

    static SocketHandle decode(ByteBuffer handle) {
        ByteBuffer in = handle.slice();
        try {
            require(in.getLong() == MAGIC, "wrong magic");
            int version = in.getInt();
            require(version == VERSION, "version " + version + " instead of " + VERSION);
            int rank = in.getInt();
            long token = in.getLong();
            int port = in.getInt();
            require(port > 0 && port <= 0xffff, "port " + port);
            int length = in.getInt();
            require(length == 4 || length == 16, "address of " + length + " bytes");
            byte[] address = new byte[length];
            in.get(address);
            return new SocketHandle(rank, token, new InetSocketAddress(InetAddress.getByAddress(address), port));
        } catch (BufferUnderflowException | UnknownHostException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "a handle of " + handle.remaining() + " bytes is none of the socket network", e);
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no handle of the socket network: " + what);
        }
    }
}
