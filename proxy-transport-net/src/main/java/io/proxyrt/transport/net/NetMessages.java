/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.nio.ByteBuffer;

/**
 * What the halves of the transport tell each other. All big-endian, and all begin with the version.
 *
 * <pre>
 *  Setup request              version int | remoteRank int | channel int | connIndex int | netDev int | shared int
 *  Setup response, receiver   version int | length int | listen handle       (a sender's is empty)
 *  connect info, receiver     the Setup response
 *  connect info, sender       version int | rank int
 *  Connect request, sender    the receiver's connect info
 *  Connect request, receiver  the sender's connect info
 *  Connect response           version int | 0 int | memory id long | sendMem long | recvMem long | buffer long |
 *                             buffer bytes long                               (offsets into the memory)
 * </pre>
 */
final class NetMessages {
    private static final int VERSION = 1;
    private static final int SETUP_BYTES = 24;
    private static final int SENDER_BYTES = 8;
    private static final int MAP_BYTES = 48;

    private NetMessages() {
    }

    /** The body of a Setup request. */
    record Setup(int remoteRank, int channelId, int connIndex, int netDev) {
        ByteBuffer encode() {
            return ByteBuffer.allocate(SETUP_BYTES).putInt(VERSION).putInt(remoteRank).putInt(channelId)
                    .putInt(connIndex).putInt(netDev).putInt(0).flip();
        }

        static Setup decode(ByteBuffer body) {
            ByteBuffer in = checked(body, SETUP_BYTES, SETUP_BYTES, "Setup request");
            Setup setup = new Setup(in.getInt(), in.getInt(), in.getInt(), in.getInt());
            int shared = in.getInt();
            if (shared != 0) {
                throw broken("Setup request asks for shared buffers, which the NET transport does not have");
            }
            return setup;
        }
    }

    /** Where the parts of a connection lie: {@code connectMap}. */
    record ConnectMap(long memoryId, long sendMem, long recvMem, long buffer, long bufferBytes) {
        void encode(ByteBuffer out) {
            out.putInt(VERSION).putInt(0).putLong(memoryId).putLong(sendMem).putLong(recvMem).putLong(buffer)
                    .putLong(bufferBytes);
        }

        static ConnectMap decode(ByteBuffer body) {
            ByteBuffer in = checked(body, MAP_BYTES, MAP_BYTES, "Connect response");
            in.getInt();
            return new ConnectMap(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
        }
    }

    static ByteBuffer senderInfo(int rank) {
        return ByteBuffer.allocate(SENDER_BYTES).putInt(VERSION).putInt(rank).flip();
    }

    static void encodeHandle(ByteBuffer handle, ByteBuffer out) {
        out.putInt(VERSION).putInt(handle.remaining()).put(handle);
    }

    /** The listen handle in a receiver's Setup response, its connect info, or a sender's Connect request. */
    static ByteBuffer handle(ByteBuffer body, String what) {
        ByteBuffer in = checked(body, 8, 8 + NetPlugin.HANDLE_BYTES, what);
        int length = in.getInt();
        if (length != in.remaining()) {
            throw broken(what + " announces a handle of " + length + " bytes and has " + in.remaining());
        }
        return in.slice();
    }

    /** A sender's rank, in its connect info or a receiver's Connect request. */
    static int senderRank(ByteBuffer body, String what) {
        return checked(body, SENDER_BYTES, SENDER_BYTES, what).getInt();
    }

    private static ByteBuffer checked(ByteBuffer body, int minBytes, int maxBytes, String what) {
        ByteBuffer in = body.slice();
        if (in.remaining() < minBytes || in.remaining() > maxBytes) {
            throw broken(what + " of " + in.remaining() + " bytes instead of " + minBytes + " to " + maxBytes);
        }
        int version = in.getInt();
        if (version != VERSION) {
            throw broken(what + " of version " + version + " instead of " + VERSION);
        }
        return in;
    }

    private static ProxyException broken(String what) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, "NET " + what);
    }
}
