/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.MessageChecks;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.nio.ByteBuffer;

/**
 * What the halves of the transport tell each other. All big-endian, and all begin with the version.
 *
 * <pre>
 *  Setup request              version int | rank int | remoteRank int | channel int | connIndex int | netDev int
 *                             | shared int                                       (connIndex 0: collectives, else p2p)
 *  Setup response, receiver   version int | length int | listen handle
 *  Setup response, sender     version int | proxyRank int | commId long          (0: a comm of its own)
 *  connect info, receiver     the Setup response
 *  connect info, sender       version int | rank int | proxyRank int | commId long
 *  Connect request, sender    the receiver's connect info
 *  Connect request, receiver  the sender's connect info
 *  Connect response           see ConnectMap
 * </pre>
 */
final class NetMessages {
    private static final int VERSION = 2;
    private static final MessageChecks CHECKS = new MessageChecks("NET", VERSION);
    private static final int SETUP_BYTES = 28;
    private static final int SENDER_RESPONSE_BYTES = 16;
    private static final int SENDER_BYTES = 20;

    private NetMessages() {
    }

    /**
     * The body of a Setup request.
     *
     * @param rank       who will post the ops; the tag of what it sends
     * @param remoteRank the other end
     * @param channelId  of the communicator
     * @param connIndex  0 collectives, else point-to-point
     * @param netDev     of the network
     * @param isShared   whether Simple slots come from the pool of the posting peer
     */
    record Setup(int rank, int remoteRank, int channelId, int connIndex, int netDev, boolean isShared) {
        ByteBuffer encode() {
            return ByteBuffer.allocate(SETUP_BYTES).putInt(VERSION).putInt(rank).putInt(remoteRank).putInt(channelId)
                    .putInt(connIndex).putInt(netDev).putInt(isShared ? 1 : 0).flip();
        }

        static Setup decode(ByteBuffer body) {
            ByteBuffer in = CHECKS.begin(body, SETUP_BYTES, SETUP_BYTES, "Setup request");
            Setup setup = new Setup(in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getInt(),
                    CHECKS.index(in.getInt(), 2, "Setup request") == 1);
            if (setup.channelId < 0 || setup.channelId >= ConnectorEnd.MAX_CHANNEL_IDS) {
                throw CHECKS.broken("Setup request is for channel " + setup.channelId + "; there are "
                        + ConnectorEnd.MAX_CHANNEL_IDS);
            }
            if (setup.rank < 0 || setup.remoteRank < 0 || setup.connIndex < 0) {
                throw CHECKS.broken("Setup request has a negative number: " + setup);
            }
            if (setup.isShared && setup.connIndex == 0) {
                throw CHECKS.broken("Setup request asks for shared buffers for collectives");
            }
            return setup;
        }
    }

    /**
     * Who sends, and over which comm.
     *
     * @param rank      that posts the ops
     * @param proxyRank whose network carries them
     * @param commId    of the comm that several connections of that proxy share; 0 if this one has its own
     */
    record Sender(int rank, int proxyRank, long commId) {
        ByteBuffer encode() {
            return ByteBuffer.allocate(SENDER_BYTES).putInt(VERSION).putInt(rank).putInt(proxyRank).putLong(commId)
                    .flip();
        }

        static Sender decode(ByteBuffer body, String what) {
            ByteBuffer in = CHECKS.begin(body, SENDER_BYTES, SENDER_BYTES, what);
            Sender sender = new Sender(in.getInt(), in.getInt(), in.getLong());
            if (sender.rank < 0 || sender.proxyRank < 0) {
                throw CHECKS.broken(what + " has a negative rank: " + sender);
            }
            return sender;
        }
    }

    static void encodeSenderResponse(int proxyRank, long commId, ByteBuffer out) {
        out.putInt(VERSION).putInt(proxyRank).putLong(commId);
    }

    /** A sender's connect info, from its Setup response. */
    static Sender sender(int rank, ByteBuffer setupResponse) {
        ByteBuffer in = CHECKS.begin(setupResponse, SENDER_RESPONSE_BYTES, SENDER_RESPONSE_BYTES, "Setup response");
        return new Sender(rank, in.getInt(), in.getLong());
    }

    static void encodeHandle(ByteBuffer handle, ByteBuffer out) {
        out.putInt(VERSION).putInt(handle.remaining()).put(handle);
    }

    /** The listen handle in a receiver's Setup response, its connect info, or a sender's Connect request. */
    static ByteBuffer handle(ByteBuffer body, String what) {
        ByteBuffer in = CHECKS.begin(body, 8, 8 + NetPlugin.HANDLE_BYTES, what);
        int length = in.getInt();
        if (length != in.remaining()) {
            throw CHECKS.broken(what + " announces a handle of " + length + " bytes and has " + in.remaining());
        }
        return in.slice();
    }
}
