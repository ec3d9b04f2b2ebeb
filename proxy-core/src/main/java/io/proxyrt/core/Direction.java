/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/** Which way a connection carries data, numbered as RCCL numbers its sides. */
public enum Direction {
    /** From the network, or a peer, to the device. */
    RECV,
    /** From the device to the network, or a peer. */
    SEND;

    private static final Direction[] BY_CODE = values();

    /**
     * The direction with this code.
     *
     * @param code 0 or 1
     * @return the direction
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for any other code
     */
    public static Direction of(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no direction has code " + code);
        }
        return BY_CODE[code];
    }
}
