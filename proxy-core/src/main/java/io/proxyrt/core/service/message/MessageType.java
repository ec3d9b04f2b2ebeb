/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import io.proxyrt.core.progress.ConnectionState;

/** What a call to the service thread asks for; up to 12 numbered as RCCL's {@code ncclProxyMsgType}. */
public enum MessageType {
    /** Makes a connection. */
    INIT(1),
    /** Allocates shared buffers ahead of their use. */
    SHARED_INIT(2),
    /** First half of setting a connection up. */
    SETUP(3),
    /** Second half; stays pending until the peer is there. */
    CONNECT(4),
    /** Reserved by RCCL. */
    START(5),
    /** Releases one connection, or with connection id 0 all of the caller's. */
    CLOSE(6),
    /** Reserved by RCCL. */
    ABORT(7),
    /** Begins the orderly end of the service. */
    STOP(8),
    /** UDS only. */
    GET_FD(9),
    /** UDS only. */
    QUERY_FD(10),
    /** Registers a user's buffer with a connection. */
    REGISTER(11),
    /** Undoes {@link #REGISTER}. */
    DEREGISTER(12),
    /** Is answered when the service's runtime leaves, or has failed. */
    WATCH(13),
    /** Is answered at once, with who answers. */
    PING(14);

    private static final MessageType[] BY_CODE = new MessageType[15];

    static {
        for (MessageType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int code;

    MessageType(int code) {
        this.code = code;
    }

    /**
     * The number on the wire.
     *
     * @return 1 to 14
     */
    public int code() {
        return code;
    }

    /**
     * Whether such a request makes sense for a connection.
     *
     * @param state of the connection
     * @return true if it may be carried out
     */
    public boolean isAllowedIn(ConnectionState state) {
        return switch (this) {
            case SHARED_INIT, SETUP -> state == ConnectionState.INITIALIZED;
            case CONNECT -> state == ConnectionState.SETUP_DONE;
            case START, REGISTER, DEREGISTER -> state == ConnectionState.CONNECTED;
            case ABORT, CLOSE -> state != ConnectionState.UNINITIALIZED && state != ConnectionState.CLOSING;
            default -> false;
        };
    }

    /**
     * The type with this number.
     *
     * @param code as received
     * @return null if there is none
     */
    public static MessageType of(int code) {
        return code < 0 || code >= BY_CODE.length ? null : BY_CODE[code];
    }
}
