/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.verbs.Gid;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * A range of addresses.
 *
 * @param high   first eight bytes of an IPv6 address, IPv4 mapped
 * @param low    the last eight
 * @param prefix bits that count; 0 contains all
 */
record Subnet(long high, long low, int prefix) {
    private static final Pattern DIGITS = Pattern.compile("[0-9a-fA-F:.]+");
    private static final int IPV4_PREFIX = 96;

    /**
     * What a user wrote: an address in digits, a slash, and how many bits count.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static Subnet parse(String text) {
        if (text.isBlank()) {
            return new Subnet(0, 0, 0);
        }
        String[] parts = text.strip().split("/", 2);
        try {
            // Without letters that make a name no name service is asked.
            byte[] address = InetAddress.getByName(digits(parts[0])).getAddress();
            boolean isIpv4 = address.length == 4;
            int bits = parts.length == 1 ? address.length * Byte.SIZE : Integer.parseInt(parts[1]);
            if (bits < 0 || bits > address.length * Byte.SIZE) {
                throw new IllegalArgumentException("has a prefix of " + bits + " bits");
            }
            ByteBuffer in = ByteBuffer.wrap(address);
            return isIpv4 ? new Subnet(0, 0xffffL << 32 | in.getInt() & 0xffffffffL, bits == 0 ? 0 : bits + IPV4_PREFIX)
                    : new Subnet(in.getLong(), in.getLong(), bits);
        } catch (UnknownHostException | NumberFormatException e) {
            throw new IllegalArgumentException("is no subnet, such as 10.1.0.0/16", e);
        }
    }

    boolean contains(Gid gid) {
        return isSame(gid.high(), high, Math.min(prefix, Long.SIZE))
                && isSame(gid.low(), low, Math.max(0, prefix - Long.SIZE));
    }

    private static boolean isSame(long one, long other, int bits) {
        return bits == 0 || (one ^ other) >>> Long.SIZE - bits == 0;
    }

    private static String digits(String address) throws UnknownHostException {
        if (!DIGITS.matcher(address).matches()) {
            throw new UnknownHostException(address);
        }
        return address;
    }
}
