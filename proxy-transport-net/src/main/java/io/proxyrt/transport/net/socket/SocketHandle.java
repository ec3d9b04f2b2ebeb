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
 * The listen handle. It travels over the service's authenticated sessions and the bootstrap, never over the sockets
 * that it is about.
 *
 * <pre>
 *   0                   8
 *  +-------------------+
 *  | magic             |
 *  +---------+---------+
 * 8| version | rank    |
 *  +---------+---------+
 * 16| token, 16 bytes   |
 *  |                   |
 *  +---------+---------+
 * 32| port    | resume  |
 *  +---------+---------+
 * 40| sockets | chunk   |
 *  +---------+---------+
 * 48| flags   | length  |   address of 4 or 16 bytes
 *  +---------+---------+
 * 56| address ...
 * </pre>
 *
 * @param rank       of the listener
 * @param token      random, the key of the proofs in hellos
 * @param address    where it listens
 * @param resumePort where connections that broke are resumed, at the same address; 0 if they are not
 * @param terms      what the listener proposes
 */
record SocketHandle(int rank, SocketToken token, InetSocketAddress address, int resumePort, SocketTerms terms) {
    static final long MAGIC = 0x564ab9f2fc4b9d6cL;
    static final int VERSION = 4;
    /** Messages carry a checksum. On if either end wants it. */
    static final int CHECKED = 1;
    /** A connection that broke is resumed. On if both ends want it. */
    static final int RESUMABLE = 2;
    static final int KNOWN_FLAGS = CHECKED | RESUMABLE;
    private static final int FIXED_BYTES = 56;
    private static final int MAX_PORT = 0xffff;

    ByteBuffer encode() {
        byte[] bytes = address.getAddress().getAddress();
        ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + bytes.length).putLong(MAGIC).putInt(VERSION).putInt(rank);
        token.put(out);
        return out.putInt(address.getPort()).putInt(resumePort).putInt(terms.sockets()).putInt(terms.chunkBytes())
                .putInt(terms.flags()).putInt(bytes.length).put(bytes).flip().asReadOnlyBuffer();
    }

    static SocketHandle decode(ByteBuffer handle) {
        ByteBuffer in = handle.slice();
        try {
            require(in.getLong() == MAGIC, "wrong magic");
            int version = in.getInt();
            require(version == VERSION, "version " + version + " instead of " + VERSION);
            int rank = in.getInt();
            SocketToken token = SocketToken.get(in);
            int port = in.getInt();
            require(port > 0 && port <= MAX_PORT, "port " + port);
            int resumePort = in.getInt();
            SocketTerms terms = terms(in);
            require(resumePort >= (terms.isResumable() ? 1 : 0) && resumePort <= MAX_PORT, "resume port " + resumePort);
            return new SocketHandle(rank, token, new InetSocketAddress(address(in), port), resumePort, terms);
        } catch (BufferUnderflowException | UnknownHostException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "a handle of " + handle.remaining() + " bytes is none of the socket network", e);
        }
    }

    InetSocketAddress resumeAddress() {
        return new InetSocketAddress(address.getAddress(), resumePort);
    }

    private static SocketTerms terms(ByteBuffer in) {
        int sockets = in.getInt();
        require(sockets >= 0 && sockets <= SocketLayout.MAX_SOCKETS, sockets + " data sockets");
        int chunkBytes = in.getInt();
        require(chunkBytes > 0, "chunks of " + chunkBytes + " bytes");
        int flags = in.getInt();
        require((flags & ~KNOWN_FLAGS) == 0, "flags " + flags);
        return new SocketTerms(sockets, chunkBytes, flags);
    }

    private static InetAddress address(ByteBuffer in) throws UnknownHostException {
        int length = in.getInt();
        require(length == 4 || length == 16, "address of " + length + " bytes");
        byte[] address = new byte[length];
        in.get(address);
        return InetAddress.getByAddress(address);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no handle of the socket network: " + what);
        }
    }
}
