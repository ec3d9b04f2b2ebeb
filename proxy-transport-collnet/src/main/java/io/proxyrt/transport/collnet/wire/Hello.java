/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * What connects to a switch, a participant or a child switch, and to which group.
 *
 * @param isSwitch whether it is a switch with participants behind it
 * @param nonce    {@link Transcript#NONCE_BYTES} random bytes
 * @param group    which one
 * @param nRanks   participants of the group
 * @param rank     place of a participant among them; {@link #NO_RANK} of a switch
 * @param patience how long it waits for the others, in whole milliseconds
 * @param name     for messages: of a participant such as {@code rank 3 (pid 77 at host)}, of a switch such as {@code
 *                 switch 10.0.0.1:4791}
 */
public record Hello(boolean isSwitch, byte[] nonce, GroupId group, int nRanks, int rank, Duration patience,
        String name) {
    /** A switch's rank. */
    public static final int NO_RANK = -1;

    private static final byte PARTICIPANT_KIND = 0;
    private static final byte SWITCH_KIND = 1;
    private static final int KIND_AT = 6;
    private static final int NONCE_AT = 8;
    private static final int GROUP_AT = NONCE_AT + Transcript.NONCE_BYTES;
    private static final int RANKS_AT = GROUP_AT + GroupId.BYTES;
    private static final int PATIENCE_AT = RANKS_AT + 2 * Integer.BYTES;
    private static final int LENGTH_AT = PATIENCE_AT + Integer.BYTES;
    private static final int HEAD_BYTES = LENGTH_AT + Short.BYTES;

    /**
     * A participant's, with a new nonce.
     *
     * @param group    which one
     * @param nRanks   participants of the group
     * @param rank     its place
     * @param patience how long it waits for the others
     * @param name     for messages
     * @return the hello
     */
    public static Hello ofParticipant(GroupId group, int nRanks, int rank, Duration patience, String name) {
        return new Hello(false, Transcript.nonce(), group, nRanks, rank, patience, name);
    }

    /**
     * A switch's, with a new nonce.
     *
     * @param group    which one
     * @param nRanks   participants of the group
     * @param patience how long those behind it wait for the others
     * @param name     for messages
     * @return the hello
     */
    public static Hello ofSwitch(GroupId group, int nRanks, Duration patience, String name) {
        return new Hello(true, Transcript.nonce(), group, nRanks, NO_RANK, patience, name);
    }

    /**
     * How long a hello is.
     *
     * @param received from 0 to its position
     * @return bytes, as far as is known yet
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if it is none
     */
    public static int bytes(ByteBuffer received) {
        if (received.position() >= Integer.BYTES && received.getInt(0) != WireDescriptor.MAGIC) {
            throw WireDescriptor.malformed("no hello of proxyrt");
        }
        if (received.position() >= KIND_AT && received.getShort(Integer.BYTES) != WireDescriptor.VERSION) {
            throw WireDescriptor.malformed("a hello of version " + received.getShort(Integer.BYTES) + ", not "
                    + WireDescriptor.VERSION);
        }
        return received.position() < HEAD_BYTES ? HEAD_BYTES
                : HEAD_BYTES + WireText.length(received, LENGTH_AT, WireDescriptor.MAX_NAME_BYTES);
    }

    /**
     * Reads a whole one.
     *
     * @param received from 0 to its position
     * @return the hello, whose fields are within their limits
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if they are not
     */
    public static Hello decode(ByteBuffer received) {
        final byte kind = received.get(KIND_AT);
        final int nRanks = received.getInt(RANKS_AT);
        final int rank = received.getInt(RANKS_AT + Integer.BYTES);
        if (kind != PARTICIPANT_KIND && kind != SWITCH_KIND) {
            throw WireDescriptor.malformed("a hello of kind " + kind);
        }
        final boolean isSwitch = kind == SWITCH_KIND;
        if (nRanks < 1 || nRanks > WireDescriptor.MAX_RANKS
                || (isSwitch ? rank != NO_RANK : rank < 0 || rank >= nRanks)) {
            throw WireDescriptor.malformed("a hello of participant " + rank + " of " + nRanks);
        }
        final byte[] nonce = new byte[Transcript.NONCE_BYTES];
        received.get(NONCE_AT, nonce);
        return new Hello(isSwitch, nonce, GroupId.decode(received, GROUP_AT), nRanks, rank,
                WirePatience.get(received, PATIENCE_AT),
                WireText.decode(received, HEAD_BYTES, bytes(received) - HEAD_BYTES));
    }

    /**
     * Writes it.
     *
     * @return a new buffer, to be sent
     */
    public ByteBuffer encode() {
        final byte[] text = WireText.encode(name, WireDescriptor.MAX_NAME_BYTES);
        final ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + text.length).putInt(WireDescriptor.MAGIC)
                .putShort(WireDescriptor.VERSION).put(isSwitch ? SWITCH_KIND : PARTICIPANT_KIND).put((byte) 0)
                .put(nonce);
        group.put(out);
        return out.putInt(nRanks).putInt(rank).putInt(WirePatience.of(patience)).putShort((short) text.length).put(text)
                .flip();
    }

    /**
     * The connecting side, for messages.
     *
     * @return such as {@code participant 1, rank 3 (pid 77 at host)} or {@code switch 10.0.0.1:4791}
     */
    public String peer() {
        if (isSwitch) {
            return name.isEmpty() ? "a switch without a name" : name;
        }
        return "participant " + rank + (name.isEmpty() ? "" : ", " + name);
    }
}
