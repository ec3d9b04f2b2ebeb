/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.config.JobSecret;

/**
 * Where the fields of a frame lie. All numbers are big-endian. A session begins with a handshake of four frames; from
 * then on requests go one way and responses the other, in any order.
 *
 * <pre>
 *  hello, caller to service                    challenge and ack, service to caller
 *    0                   8                       0                   8
 *   +-------------------+                       +-------------------+
 *   | magic "PRXRPC01"  |                       | magic "PRXRPC01"  |
 *   +----+----+---------+                       +----+----+---------+
 * 8 |ver |zero|  rank   |                     8 |ver |dlen| status  |
 *   +----+----+---------+                       +----+----+---------+
 * 16| client id         |                     16|  rank   |  zero   |
 *   +-------------------+                       +---------+---------+
 * 24| nonce, 32 bytes                         24| nonce (challenge) or proof (ack), 32 bytes;
 *   +------- 56                                 | of a refusal: detail, dlen bytes of UTF-8
 *                                               +-------
 *  proof, caller to service
 *    0
 *   +-------
 *   | proof, 32 bytes
 *   +------- 32
 *
 *  request                                     response
 *    0         4 5 6     8                       0         4 5 6     8
 *   +---------+-+-+-----+                       +---------+-+-+-----+
 *   | length  |t|0|zero |                       | length  |k|0|dlen |
 *   +---------+-+-+-----+                       +---------+-+-+-----+
 * 8 | call id           |                     8 | call id           |
 *   +-------------------+                       +-------------------+
 * 16| connection id     |                     16| result  |  zero   |
 *   +-------------------+                       +---------+---------+
 * 24| body, length - 20 bytes                 24| detail, dlen bytes of UTF-8, then the body
 *   +-------                                    +-------
 * </pre>
 *
 * <p>{@code length} counts the bytes behind itself. {@code t} is a code of {@link
 * io.proxyrt.core.service.message.MessageType}, {@code status} and {@code result} are {@link
 * io.proxyrt.core.ProxyResult} codes, {@code k} is {@link #RESPONSE} or {@link #FAREWELL}: the last word of the
 * service before it closes, with call id 0. Fields shown as zero are reserved; other values are refused. A status
 * other than 0 is a refusal, at either step of the handshake. The magic number is that of all versions, and each of
 * them keeps the first ten bytes of a hello and of its answer, and the form of a refusal, so that both sides can say
 * which versions met. A proof covers the service's address, the hello, the challenge and the binding to TLS.
 */
final class RpcFrameDescriptor {
    /** {@code PRXRPC01} in ASCII. */
    static final long MAGIC = 0x5052_5852_5043_3031L;
    static final int VERSION = 4;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = 8;

    static final int HELLO_RESERVED_OFFSET = 10;
    static final int HELLO_RANK_OFFSET = 12;
    static final int HELLO_CLIENT_ID_OFFSET = 16;
    static final int HELLO_NONCE_OFFSET = 24;
    static final int NONCE_BYTES = Transcript.NONCE_BYTES;
    static final int HELLO_BYTES = HELLO_NONCE_OFFSET + NONCE_BYTES;

    static final int ANSWER_DETAIL_LENGTH_OFFSET = 10;
    static final int ANSWER_STATUS_OFFSET = 12;
    static final int ANSWER_RANK_OFFSET = 16;
    static final int ANSWER_RESERVED_OFFSET = 20;
    /** A refusal's length, but for its detail. */
    static final int ANSWER_HEADER_BYTES = 24;
    /** Length of a challenge and of an ack: the header, then a nonce or a proof, which are as long. */
    static final int ANSWER_BYTES = ANSWER_HEADER_BYTES + NONCE_BYTES;

    static final int PROOF_BYTES = JobSecret.PROOF_BYTES;
    /** Label of a caller's proof. */
    static final String CALLER = "proxyrt rpc caller";
    /** Label of a service's proof. */
    static final String SERVICE = "proxyrt rpc service";

    static final int LENGTH_OFFSET = 0;
    static final int LENGTH_BYTES = 4;
    static final int KIND_OFFSET = 4;
    static final int FLAGS_OFFSET = 5;
    static final int CALL_ID_OFFSET = 8;

    static final int REQUEST_RESERVED_OFFSET = 6;
    static final int REQUEST_CONNECTION_ID_OFFSET = 16;
    static final int REQUEST_BYTES = 24;

    static final int RESPONSE_DETAIL_LENGTH_OFFSET = 6;
    static final int RESPONSE_RESULT_OFFSET = 16;
    static final int RESPONSE_RESERVED_OFFSET = 20;
    static final int RESPONSE_BYTES = 24;

    /** Answers the request with the same call id. */
    static final byte RESPONSE = 1;
    /** Ends the session. */
    static final byte FAREWELL = 2;

    /** A detail that is longer gets cut; what is received may be no longer either. */
    static final int MAX_DETAIL_BYTES = 2048;

    private RpcFrameDescriptor() {
    }

    /** Whether what is there, if only a part, can still become the magic number. */
    static boolean canBeMagic(ByteBuf in) {
        int start = in.readerIndex() + MAGIC_OFFSET;
        int known = Math.min(in.readableBytes(), Long.BYTES);
        for (int i = 0; i < known; i++) {
            if (in.getByte(start + i) != (byte) (MAGIC >>> Long.SIZE - Byte.SIZE * (i + 1))) {
                return false;
            }
        }
        return true;
    }
}
