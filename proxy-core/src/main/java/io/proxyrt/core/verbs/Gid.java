/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * The address of a port: {@code ibv_gid}.
 *
 * @param high the first eight bytes, as they go over the wire: the subnet's prefix
 * @param low  the last eight
 * @param kind what the port sends from this address
 */
public record Gid(long high, long low, Kind kind) {
    /** What packets a port sends. */
    public enum Kind {
        /** InfiniBand, or it is not known. */
        IB,
        /** RoCE v1: Ethernet frames of their own type. */
        ROCE_V1,
        /** RoCE v2: UDP. */
        ROCE_V2
    }

    private static final long IPV4_MAPPED = 0xffffL;
    private static final long LINK_LOCAL = 0xfe80L << 48;

    /**
     * Whether it is no address.
     *
     * @return true for an unused entry of the table
     */
    public boolean isZero() {
        return high == 0 && low == 0;
    }

    /**
     * Whether it reaches the next hop only.
     *
     * @return true for fe80::/64
     */
    public boolean isLinkLocal() {
        return high == LINK_LOCAL;
    }

    /**
     * Whether it is an IPv4 address.
     *
     * @return true for ::ffff:a.b.c.d
     */
    public boolean isIpv4() {
        return high == 0 && low >>> 32 == IPV4_MAPPED;
    }

    /**
     * Its bytes.
     *
     * @return 16, in the order of the wire; the caller's
     */
    public byte[] bytes() {
        return ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    }

    @Override
    public String toString() {
        if (isIpv4()) {
            return "::ffff:" + (low >> 24 & 0xff) + "." + (low >> 16 & 0xff) + "." + (low >> 8 & 0xff) + "."
                    + (low & 0xff);
        }
        String digits = HexFormat.of().formatHex(bytes());
        return digits.replaceAll("(.{4})(?!$)", "$1:");
    }
}
