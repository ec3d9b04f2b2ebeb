/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

/**
 * Where a connection stands. RCCL intends this order but never checks it; here an illegal request is refused and leaves
 * the state as it is, and so does one that fails.
 */
public enum ConnectionState {
    /** Its slot is free. */
    UNINITIALIZED,
    /** Init made it. */
    INITIALIZED,
    /** It only holds shared buffers; final. */
    SHARED_INITIALIZED,
    /** Setup is done. */
    SETUP_DONE,
    /** Ready for ops. */
    CONNECTED,
    /** Close was asked for; it is gone as soon as no op uses it. */
    CLOSING;

    /** Whether a connection may move on like that. The runtime's end frees it wherever it stands. */
    boolean mayBecome(ConnectionState next) {
        return switch (next) {
            case INITIALIZED -> false;
            case SHARED_INITIALIZED, SETUP_DONE -> this == INITIALIZED;
            case CONNECTED -> this == SETUP_DONE;
            case CLOSING -> this != UNINITIALIZED && this != CLOSING;
            case UNINITIALIZED -> this != UNINITIALIZED;
        };
    }
}
