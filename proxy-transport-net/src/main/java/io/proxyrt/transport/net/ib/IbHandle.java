/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The listen handle. It is as secret as the handle of the control connection that is within it.
 *
 * <pre>
 *   0       8         12      16              20
 *  +-------+---------+-------+---------------+-------------------+
 *  | magic | version | ports | pairs by port | control's handle  |
 *  +-------+---------+-------+---------------+-------------------+
 * </pre>
 *
 * @param ports        of the listener's device
 * @param pairsPerPort queue pairs that it wants at each port
 * @param control      where to make the control connection
 */
record IbHandle(int ports, int pairsPerPort, ByteBuffer control) {
    private static final long MAGIC = 0x9c1db20a6f0e4b37L;
    private static final int VERSION = 1;
    private static final int FIXED_BYTES = 20;

    ByteBuffer encode() {
        return ByteBuffer.allocate(FIXED_BYTES + control.remaining()).putLong(MAGIC).putInt(VERSION).putInt(ports)
                .putInt(pairsPerPort).put(control.duplicate()).flip().asReadOnlyBuffer();
    }

    static IbHandle decode(ByteBuffer handle) {
        ByteBuffer in = handle.slice();
        try {
            require(in.getLong() == MAGIC, "wrong magic");
            int version = in.getInt();
            require(version == VERSION, "version " + version + " instead of " + VERSION);
            int ports = in.getInt();
            require(ports > 0 && ports <= IbDevice.MAX_PORTS, ports + " ports");
            int pairsPerPort = in.getInt();
            require(pairsPerPort > 0 && pairsPerPort <= PairPlan.MAX_PAIRS, pairsPerPort + " queue pairs");
            return new IbHandle(ports, pairsPerPort, in.slice());
        } catch (BufferUnderflowException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "a handle of " + handle.remaining() + " bytes is none of network " + IbNet.NAME, e);
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no handle of network " + IbNet.NAME + ": " + what);
        }
    }
}
