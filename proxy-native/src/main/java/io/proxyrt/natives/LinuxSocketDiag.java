/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.platform.SocketOwner;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.Optional;

/** {@code sock_diag(7)}: asks the kernel for one TCP socket by its two ends. */
final class LinuxSocketDiag {
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int AF_NETLINK = 16;
    private static final int RAW_CLOEXEC_NONBLOCK = 3 | 0x80000 | 0x800;
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final short SOCK_DIAG_BY_FAMILY = 20;
    private static final short NLM_F_REQUEST = 1;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_ESTABLISHED = 1;
    private static final int ANY_STATE = -1;
    private static final long NO_COOKIE = -1;

    /** Offsets: of nlmsghdr, then inet_diag_req_v2, whose ends are as in the inet_diag_msg of the answer. */
    private static final int TYPE = 4;
    private static final int FLAGS = 6;
    private static final int FAMILY = 16;
    private static final int PROTOCOL = 17;
    private static final int STATES = 20;
    private static final int PORTS = 24;
    private static final int OWN_ADDRESS = 28;
    private static final int PEER_ADDRESS = 44;
    private static final int COOKIE = 64;
    private static final int REQUEST_BYTES = 72;
    private static final int ANSWER_STATE = 17;
    private static final int ANSWER_UID = 80;
    private static final int ANSWER_BYTES = 88;
    /** Answers have attributes that were not asked for. */
    private static final int ROOM_BYTES = 4096;

    private static final MethodHandle SOCKET = CLibrary.link("socket",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final FunctionDescriptor TRANSFER = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private static final MethodHandle READ = CLibrary.link("read", TRANSFER);
    private static final MethodHandle WRITE = CLibrary.link("write", TRANSFER);

    private LinuxSocketDiag() {
    }

    /** Empty if there is no such socket, or the kernel does not support the question. */
    static Optional<SocketOwner> find(InetSocketAddress socket, InetSocketAddress peer) {
        int number = open();
        if (number < 0) {
            return Optional.empty();
        }
        try (OwnedFd netlink = LinuxDescriptors.INSTANCE.adopt(number); Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(ROOM_BYTES, Integer.BYTES);
            // The kernel answers while it takes the question.
            boolean isAnswered = transfer(WRITE, netlink, request(arena, socket, peer)) == REQUEST_BYTES
                    && transfer(READ, netlink, answer) >= ANSWER_BYTES;
            return isAnswered && answer.get(JAVA_SHORT, TYPE) == SOCK_DIAG_BY_FAMILY
                    ? Optional.of(new SocketOwner(answer.get(JAVA_INT, ANSWER_UID),
                            answer.get(JAVA_BYTE, ANSWER_STATE) == TCP_ESTABLISHED)) : Optional.empty();
        }
    }

    private static MemorySegment request(Arena arena, InetSocketAddress socket, InetSocketAddress peer) {
        MemorySegment request = arena.allocate(REQUEST_BYTES, Integer.BYTES);
        request.set(JAVA_INT, 0, REQUEST_BYTES);
        request.set(JAVA_SHORT, TYPE, SOCK_DIAG_BY_FAMILY);
        request.set(JAVA_SHORT, FLAGS, NLM_F_REQUEST);
        request.set(JAVA_BYTE, FAMILY, (byte) (socket.getAddress() instanceof Inet4Address ? AF_INET : AF_INET6));
        request.set(JAVA_BYTE, PROTOCOL, (byte) IPPROTO_TCP);
        request.set(JAVA_INT, STATES, ANY_STATE);
        request.set(JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), PORTS, (short) socket.getPort());
        request.set(JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), PORTS + Short.BYTES, (short) peer.getPort());
        put(request, OWN_ADDRESS, socket.getAddress());
        put(request, PEER_ADDRESS, peer.getAddress());
        request.set(JAVA_LONG, COOKIE, NO_COOKIE);
        return request;
    }

    private static void put(MemorySegment request, int offset, InetAddress address) {
        byte[] bytes = address.getAddress();
        MemorySegment.copy(bytes, 0, request, JAVA_BYTE, offset, bytes.length);
    }

    private static int open() {
        try {
            return (int) SOCKET.invokeExact(AF_NETLINK, RAW_CLOEXEC_NONBLOCK, NETLINK_SOCK_DIAG);
        } catch (Throwable t) {
            throw CLibrary.failure("socket", t);
        }
    }

    private static long transfer(MethodHandle call, OwnedFd netlink, MemorySegment bytes) {
        try {
            return (long) call.invokeExact(netlink.number(), bytes, bytes.byteSize());
        } catch (Throwable t) {
            throw CLibrary.failure("read and write", t);
        }
    }
}
