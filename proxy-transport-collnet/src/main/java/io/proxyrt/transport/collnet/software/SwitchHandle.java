/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The listen handle. It travels over the service's authenticated sessions and the bootstrap, never to a switch.
 *
 * <pre>
 *   0                   8         12        16
 *  +-------------------+---------+---------+
 *  | magic             | version | port    |
 *  +-------------------+---------+---------+
 * 16| host: kernel      | network namespace |
 *  +-------------------+-------------------+
 * 32| key of the group, 32 bytes            |
 *  +---------------------------------------+
 * </pre>
 *
 * @param host which the participant is on
 * @param key  random; that of participant 0 is the group's
 * @param port of the loopback interface, where the switch is if participant 0 has it; 0 for a switch of its own
 */
record SwitchHandle(HostIdentity host, byte[] key, int port) {
    static final long MAGIC = 0x70727853574e4554L;
    static final int VERSION = 1;
    static final int KEY_BYTES = 32;
    private static final int BYTES = 16 + HostIdentity.BYTES + KEY_BYTES;
    private static final int MAX_PORT = 0xffff;

    /** One of a participant that listens at the port, or of one of a switch that runs by itself. */
    static SwitchHandle random(HostIdentity host, int port) {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return new SwitchHandle(host, key, port);
    }

    boolean isEmbedded() {
        return port != 0;
    }

    ByteBuffer encode() {
        ByteBuffer out = ByteBuffer.allocate(BYTES).putLong(MAGIC).putInt(VERSION).putInt(port);
        host.put(out);
        return out.put(key).flip().asReadOnlyBuffer();
    }

    static SwitchHandle decode(ByteBuffer handle) {
        ByteBuffer in = handle.slice();
        try {
            require(in.getLong() == MAGIC, "wrong magic");
            int version = in.getInt();
            require(version == VERSION, "version " + version + " instead of " + VERSION);
            int port = in.getInt();
            require(port >= 0 && port <= MAX_PORT, "port " + port);
            HostIdentity host = HostIdentity.get(in);
            byte[] key = new byte[KEY_BYTES];
            in.get(key);
            return new SwitchHandle(host, key, port);
        } catch (BufferUnderflowException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "a handle of " + handle.remaining() + " bytes is none of the network " + SwitchNet.NAME, e);
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "no handle of the network " + SwitchNet.NAME + ": " + what);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SwitchHandle that && host.equals(that.host) && port == that.port
                && Arrays.equals(key, that.key);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(key);
    }

    /** Without the key, which is a secret. */
    @Override
    public String toString() {
        return host + ", port " + port;
    }
}
