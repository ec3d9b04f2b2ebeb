/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The addresses of both ends of a descriptor, by {@code getsockname(2)} and {@code getpeername(2)}. */
final class SocketNames {
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int SOL_SOCKET = 1;
    private static final int SO_PROTOCOL = 38;
    private static final int IPPROTO_TCP = 6;
    private static final int SOCKADDR_BYTES = 128;
    private static final int PORT = 2;
    private static final int ADDRESS_4 = 4;
    private static final int ADDRESS_6 = 8;
    private static final int BYTES_4 = 4;
    private static final int BYTES_6 = 16;
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};
    private static final ValueLayout.OfShort NETWORK_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private static final FunctionDescriptor NAME = FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle GETSOCKNAME = CLibrary.link("getsockname", NAME);
    private static final MethodHandle GETPEERNAME = CLibrary.link("getpeername", NAME);
    private static final MethodHandle GETSOCKOPT = CLibrary.link("getsockopt",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));

    private final MemorySegment address;
    private final MemorySegment length;
    private final MemorySegment value;

    SocketNames(Arena arena) {
        address = arena.allocate(SOCKADDR_BYTES, Long.BYTES);
        length = arena.allocate(JAVA_INT);
        value = arena.allocate(JAVA_INT);
    }

    /** Whether a number is that of a TCP socket with these two ends; false if it is not open, or no socket. */
    boolean isConnection(int number, InetSocketAddress local, InetSocketAddress remote) {
        return has(GETSOCKNAME, number, local) && has(GETPEERNAME, number, remote) && isTcp(number);
    }

    private boolean has(MethodHandle call, int number, InetSocketAddress wanted) {
        length.set(JAVA_INT, 0, SOCKADDR_BYTES);
        int status;
        try {
            status = (int) call.invokeExact(number, address, length);
        } catch (Throwable t) {
            throw CLibrary.failure("getsockname and getpeername", t);
        }
        return status == 0 && Short.toUnsignedInt(address.get(NETWORK_SHORT, PORT)) == wanted.getPort()
                && Arrays.equals(host(), wanted.getAddress().getAddress());
    }

    private boolean isTcp(int number) {
        length.set(JAVA_INT, 0, Integer.BYTES);
        try {
            int status = (int) GETSOCKOPT.invokeExact(number, SOL_SOCKET, SO_PROTOCOL, value, length);
            return status == 0 && value.get(JAVA_INT, 0) == IPPROTO_TCP;
        } catch (Throwable t) {
            throw CLibrary.failure("getsockopt", t);
        }
    }

    /** As Java has it: an IPv4 address in an IPv6 one is an IPv4 address. */
    private byte[] host() {
        int family = address.get(JAVA_SHORT, 0);
        if (family == AF_INET) {
            return address.asSlice(ADDRESS_4, BYTES_4).toArray(JAVA_BYTE);
        }
        if (family != AF_INET6) {
            return new byte[0];
        }
        byte[] bytes = address.asSlice(ADDRESS_6, BYTES_6).toArray(JAVA_BYTE);
        boolean isMapped = Arrays.equals(bytes, 0, MAPPED.length, MAPPED, 0, MAPPED.length);
        return isMapped ? Arrays.copyOfRange(bytes, MAPPED.length, BYTES_6) : bytes;
    }
}
