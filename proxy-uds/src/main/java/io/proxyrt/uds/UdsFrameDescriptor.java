/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.service.message.MessageType;

/**
 * The frame, the same in both directions, big-endian. After RCCL's {@code ncclIpcHdr}, with its 16 longs, but with a
 * version, and without a pointer.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                    magic 0x50785564 "PxUd"                    |
 *  +-------------------------------+-------------------------------+
 *  |            version            |             type              |
 *  +-------------------------------+-------------------------------+
 *  |                       rank of the sender                      |
 *  +---------------------------------------------------------------+
 *  |                    status, 0 in a request                     |
 *  +---------------------------------------------------------------+
 *  |                  bytes of the data in use, 0..128             |
 *  +-------------------------------+-------------------------------+
 *  |     descriptors, 0..16        |    bytes of text that follow  |
 *  +-------------------------------+-------------------------------+
 *  |                            call id                            |
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                    data, 128 bytes, zero-filled              ...
 *  +---------------------------------------------------------------+
 *  |        text of an error, 0..512 bytes, in answers only       ...
 *  +---------------------------------------------------------------+
 * </pre>
 */
final class UdsFrameDescriptor {
    static final int MAGIC = 0x50785564;
    static final short VERSION = 1;

    /** Client: its id, and its nonce. */
    static final short HELLO = 32;
    /** Service: its nonce. */
    static final short CHALLENGE = 33;
    /** Client: that it knows the secret. */
    static final short PROOF = 34;
    /** Service: that it knows it too. The session is open. */
    static final short WELCOME = 35;
    /** Client: handles. */
    static final short GET_FD = (short) MessageType.GET_FD.code();
    /** Client, with descriptors. */
    static final short QUERY_FD = (short) MessageType.QUERY_FD.code();
    /** Service: added to the type of the request. */
    static final short ANSWER = 0x80;
    /** Service: why it ends the session. */
    static final short REFUSAL = 0xff;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = 4;
    static final int TYPE_OFFSET = 6;
    static final int RANK_OFFSET = 8;
    static final int STATUS_OFFSET = 12;
    static final int DATA_BYTES_OFFSET = 16;
    static final int FDS_OFFSET = 20;
    static final int TEXT_BYTES_OFFSET = 22;
    static final int CALL_ID_OFFSET = 24;
    static final int DATA_OFFSET = 32;
    static final int MAX_DATA_BYTES = 128;
    static final int FRAME_BYTES = DATA_OFFSET + MAX_DATA_BYTES;
    static final int MAX_TEXT_BYTES = 512;

    /** Label of a client's proof. */
    static final String CLIENT = "proxyrt uds client 1";
    /** Label of a service's proof. */
    static final String SERVICE = "proxyrt uds service 1";

    private UdsFrameDescriptor() {
    }
}
