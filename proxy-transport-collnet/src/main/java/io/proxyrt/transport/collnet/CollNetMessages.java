/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.Direction;
import io.proxyrt.core.progress.CollNetInfos;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.MessageChecks;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What the halves of the transport tell each other, and heads of several hosts. All big-endian, and all begin with the
 * version.
 *
 * <pre>
 *  Setup request             version int | ConnectorEnd, whose connIndex is the number of the head | adapter int
 *  Setup response, receiver  version int | maxCollBytes long | length int | listen handle
 *  Setup response, sender    version int
 *  connect info              the Setup response
 *  Connect request           CollNetInfos, with the receivers' connect infos
 *  Connect response          see CollNetMap
 * </pre>
 */
final class CollNetMessages {
    private static final int VERSION = 3;
    private static final MessageChecks CHECKS = new MessageChecks("COLLNET", VERSION);
    private static final int SETUP_BYTES = 2 * Integer.BYTES + ConnectorEnd.BYTES;
    private static final int INFO_BYTES = 16;

    private CollNetMessages() {
    }

    /**
     * The body of a Setup request.
     *
     * @param end     which connection
     * @param adapter that the head takes, or {@link ConnectorRequest#ANY_ADAPTER}
     */
    record Setup(ConnectorEnd end, int adapter) {
        ByteBuffer encode() {
            ByteBuffer out = ByteBuffer.allocate(SETUP_BYTES).putInt(VERSION);
            end.put(out);
            return out.putInt(adapter).flip();
        }

        /** Undoes {@link #encode}, for a connection of a direction and peer. */
        static Setup decode(ByteBuffer body, Direction direction, int peer) {
            ByteBuffer in = CHECKS.begin(body, SETUP_BYTES, SETUP_BYTES, "Setup request");
            Setup setup = new Setup(ConnectorEnd.get(in, CHECKS, "Setup request"), in.getInt());
            if (setup.end.direction() != direction || setup.end.remoteRank() != peer) {
                throw CHECKS.broken("Setup request is for " + setup.end + ", not for a connection of direction "
                        + direction + " and peer " + peer);
            }
            return setup;
        }
    }

    /** What the heads of all nodes told, in the order of nodes. */
    static List<Info> infos(CollNetInfos all) {
        return IntStream.range(0, all.infos().size())
                .mapToObj(i -> Info.decode(all.infos().get(i), "connect info of participant " + i)).toList();
    }

    /**
     * What a head tells the others: a receiver's connect info.
     *
     * @param maxCollBytes most bytes that its device carries in a call
     * @param handle       where its device listens
     */
    record Info(long maxCollBytes, ByteBuffer handle) {
        void encode(ByteBuffer out) {
            out.putInt(VERSION).putLong(maxCollBytes).putInt(handle.remaining()).put(handle.duplicate());
        }

        static Info decode(ByteBuffer body, String what) {
            ByteBuffer in = CHECKS.begin(body, INFO_BYTES, INFO_BYTES + CollNetPlugin.HANDLE_BYTES, what);
            long maxCollBytes = in.getLong();
            int length = in.getInt();
            if (length != in.remaining() || maxCollBytes <= 0) {
                throw CHECKS.broken(what + " announces a handle of " + length + " bytes and has " + in.remaining()
                        + ", and calls of " + maxCollBytes + " bytes");
            }
            return new Info(maxCollBytes, in.slice());
        }
    }

    static void encodeSender(ByteBuffer out) {
        out.putInt(VERSION);
    }

    /** Checks a sender's Setup response. */
    static void checkSender(ByteBuffer body) {
        CHECKS.begin(body, Integer.BYTES, Integer.BYTES, "Setup response");
    }
}
