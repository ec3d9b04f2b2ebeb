/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.config.JobSecret;
import java.nio.ByteBuffer;

/**
 * The frames between a participant, or a switch that is another's child, and a switch. Header fields are big-endian;
 * payload is as in memory. Of the connecting side (C) and the switch (S):
 *
 * <pre>
 *  C HELLO      magic 4, version 2, kind 1, reserved 1, nonce 32, group id 32, nRanks 4, rank 4, patience 4, length 2,
 *               name
 *  S CHALLENGE  nonce 32
 *  C PROOF      proof 32
 *  S WELCOME    proof 32, verdict 1, length 2, text
 *
 *  C JOIN       type 1, reserved 1, length 2, rank 4, patience 4, name: a participant behind a child switch
 *  S READY      type 1, reserved 7: all participants are there
 *    ABORT      type 1, reserved 1, length 2, result 4, text: either way, the last
 *  C CALL       type 1, function 1, data type 1, reduction 1, reserved 4, seq 8, window offset 8, window bytes 8,
 *               bytes per rank 8, payload bytes 8; and the payload
 *  S RESULT     type 1, reserved 7, seq 8, payload bytes 8; and the payload
 * </pre>
 *
 * <p>Proofs are HMAC-SHA256 over the address of the switch that was dialled, the hello and the challenge; that of the
 * switch is over its verdict and text, too. So none serves for another switch, and none for another verdict: a switch
 * cannot be reached by way of what changes addresses.
 *
 * <p>A rank is a participant's place in the group, from 0 on; the name says which rank of a job it is. Patience is for
 * how many milliseconds a participant waits for the group to be complete. A switch waits for less, so that it says
 * which participants are missing before one gives up; a child switch tells its parent in JOIN what is left of it.
 *
 * <p>Calls are numbered 0, 1, 2... of each group, and results come in the same order. A call's payload, of the window
 * W of all participants' parts one behind the other:
 *
 * <pre>
 *                    call                                          result
 *  all-reduce      W, which is the whole                           W
 *  all-gather      W's part of each rank behind the connection     W
 *  reduce-scatter  W                                               W's part of each rank behind the connection
 * </pre>
 *
 * <p>A payload comes in one frame, or cut into several of the same call, one behind the other, whose headers differ in
 * their payload bytes alone: those of the frame. So an abort need not wait for the rest of a result, nor a child
 * switch for the rest of a call. A frame has no payload only where the call's is empty.
 */
public final class WireDescriptor {
    /** {@code PXSW}. */
    public static final int MAGIC = 0x5058_5357;
    /** Of this layout. */
    public static final short VERSION = 2;
    /** Most participants of a group. */
    public static final int MAX_RANKS = 1 << 16;
    /** Most bytes of a group's parts in all, and so of a window. */
    public static final long MAX_CALL_BYTES = 1L << 48;
    /** Most bytes of a name. */
    public static final int MAX_NAME_BYTES = 256;
    /** Most bytes of a refusal's or an abort's text. */
    public static final int MAX_TEXT_BYTES = 1024;
    /** Most bytes of a frame, without a payload. */
    public static final int MAX_FRAME_BYTES = 2048;

    /** A participant behind a child switch. */
    public static final byte JOIN = 1;
    /** All participants are there. */
    public static final byte READY = 2;
    /** The group ends. */
    public static final byte ABORT = 3;
    /** A call, with a payload. */
    public static final byte CALL = 4;
    /** A result, with a payload. */
    public static final byte RESULT = 5;

    /** A challenge's size. */
    public static final int CHALLENGE_BYTES = Transcript.NONCE_BYTES;
    /** A proof's size. */
    public static final int PROOF_BYTES = JobSecret.PROOF_BYTES;
    /** What every frame after the handshake has at least. */
    static final int MIN_BYTES = 8;

    private WireDescriptor() {
    }

    /**
     * How long a frame after the handshake is that a switch receives.
     *
     * @param received from 0 to its position
     * @return bytes, as far as is known yet; without the payload
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if a switch receives no such frame
     */
    public static int bytesToSwitch(ByteBuffer received) {
        if (received.position() < MIN_BYTES) {
            return MIN_BYTES;
        }
        return switch (received.get(0)) {
            case JOIN -> Join.bytes(received);
            case ABORT -> Abort.bytes(received);
            case CALL -> CallHeader.BYTES;
            default -> throw malformed("a frame of type " + received.get(0));
        };
    }

    /**
     * How long a frame after the handshake is that a participant receives, or a child switch.
     *
     * @param received from 0 to its position
     * @return bytes, as far as is known yet; without the payload
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if none receives such a frame
     */
    public static int bytesFromSwitch(ByteBuffer received) {
        if (received.position() < MIN_BYTES) {
            return MIN_BYTES;
        }
        return switch (received.get(0)) {
            case READY -> MIN_BYTES;
            case ABORT -> Abort.bytes(received);
            case RESULT -> ResultHeader.BYTES;
            default -> throw malformed("a frame of type " + received.get(0));
        };
    }

    /**
     * The READY frame.
     *
     * @return a new one, to be sent
     */
    public static ByteBuffer ready() {
        return ByteBuffer.allocate(MIN_BYTES).put(0, READY);
    }

    /**
     * What is thrown for bytes that are no frame.
     *
     * @param what the peer sent
     * @return the exception
     */
    public static ProxyException malformed(String what) {
        return new ProxyException(ProxyResult.REMOTE_ERROR, "it broke the protocol: it sent " + what);
    }
}
