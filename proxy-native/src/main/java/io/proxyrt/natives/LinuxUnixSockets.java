/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.UnixSockets;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/** {@code unix(7)}: opening, binding and connecting; {@link LinuxUnixSocket} does the talking. */
final class LinuxUnixSockets implements UnixSockets {
    /** Stateless. */
    static final UnixSockets INSTANCE = new LinuxUnixSockets();

    private static final short AF_UNIX = 1;
    private static final int STREAM_CLOEXEC_NONBLOCK = 1 | 0x80000 | 0x800;
    private static final int CLOEXEC_NONBLOCK = 0x80000 | 0x800;
    private static final int ECONNABORTED = 103;
    private static final int OWNER_ONLY = 0_600;
    private static final long PATH_OFFSET = JAVA_SHORT.byteSize();

    private static final FunctionDescriptor AT_ADDRESS = FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle SOCKET = CLibrary.link("socket",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Errno.CAPTURED);
    private static final MethodHandle BIND = CLibrary.link("bind", AT_ADDRESS, Errno.CAPTURED);
    private static final MethodHandle CONNECT = CLibrary.link("connect", AT_ADDRESS, Errno.CAPTURED);
    private static final FunctionDescriptor PAIR = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle LISTEN = CLibrary.link("listen", PAIR, Errno.CAPTURED);
    private static final MethodHandle FCHMOD = CLibrary.link("fchmod", PAIR, Errno.CAPTURED);
    private static final MethodHandle ACCEPT = CLibrary.link("accept4",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT), Errno.CAPTURED);
    private static final MethodHandle GETEUID = CLibrary.link("geteuid", FunctionDescriptor.of(JAVA_INT));

    private LinuxUnixSockets() {
    }

    @Override
    public String name() {
        return "native";
    }

    /** The mode of the socket is that of the file that bind makes of it, so no other user ever finds it open. */
    @Override
    public Listener listen(String address, int backlog) {
        String what = "cannot listen at " + address;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            MemorySegment target = socketAddress(arena, address);
            OwnedFd fd = LinuxDescriptors.INSTANCE.adopt(Errno.checked(socket(errno), errno, what));
            try {
                Errno.checked(pair(FCHMOD, errno, fd.number(), OWNER_ONLY), errno, what);
                Errno.checked(atAddress(BIND, errno, fd.number(), target), errno, what);
                Errno.checked(pair(LISTEN, errno, fd.number(), backlog), errno, what);
                return new LinuxListener(fd);
            } catch (Throwable t) {
                fd.close();
                throw t;
            }
        }
    }

    @Override
    public Socket connect(String address) {
        String what = "cannot connect to " + address;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            MemorySegment target = socketAddress(arena, address);
            OwnedFd fd = LinuxDescriptors.INSTANCE.adopt(Errno.checked(socket(errno), errno, what));
            if (atAddress(CONNECT, errno, fd.number(), target) == 0) {
                return new LinuxUnixSocket(fd);
            }
            fd.close();
            if (Errno.of(errno) == Errno.EAGAIN) {
                return null;
            }
            throw new ProxyException(ProxyResult.REMOTE_ERROR, what + ": " + Errno.name(Errno.of(errno))
                    + "; is that process still there, and does it listen for this user?");
        }
    }

    @Override
    public Socket borrow(int number) {
        return new LinuxUnixSocket(new OwnedFd(number, lent -> { }));
    }

    static int userId() {
        try {
            return (int) GETEUID.invokeExact();
        } catch (Throwable t) {
            throw CLibrary.failure("geteuid", t);
        }
    }

    /** Exactly as long as it has to be: zeros behind an abstract name would be part of it. */
    private static MemorySegment socketAddress(Arena arena, String address) {
        byte[] path = address.getBytes(StandardCharsets.UTF_8);
        if (path.length < 2 || path.length > MAX_ADDRESS_BYTES || address.indexOf(0) >= 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a Unix socket's address has 2 to "
                    + MAX_ADDRESS_BYTES + " bytes, none of them zero; '" + address + "' has " + path.length);
        }
        boolean isAbstract = path[0] == '@';
        MemorySegment target = arena.allocate(PATH_OFFSET + path.length + (isAbstract ? 0 : 1), JAVA_SHORT.byteSize());
        target.set(JAVA_SHORT, 0, AF_UNIX);
        MemorySegment.copy(path, 0, target, JAVA_BYTE, PATH_OFFSET, path.length);
        if (isAbstract) {
            target.set(JAVA_BYTE, PATH_OFFSET, (byte) 0);
        }
        return target;
    }

    private static int socket(MemorySegment errno) {
        try {
            return (int) SOCKET.invokeExact(errno, (int) AF_UNIX, STREAM_CLOEXEC_NONBLOCK, 0);
        } catch (Throwable t) {
            throw CLibrary.failure("socket", t);
        }
    }

    private static int atAddress(MethodHandle call, MemorySegment errno, int fd, MemorySegment address) {
        try {
            return (int) call.invokeExact(errno, fd, address, (int) address.byteSize());
        } catch (Throwable t) {
            throw CLibrary.failure("bind and connect", t);
        }
    }

    private static int pair(MethodHandle call, MemorySegment errno, int fd, int argument) {
        try {
            return (int) call.invokeExact(errno, fd, argument);
        } catch (Throwable t) {
            throw CLibrary.failure("listen and fchmod", t);
        }
    }

    /** Owns the descriptor of the socket that listens. */
    private record LinuxListener(OwnedFd fd) implements Listener {
        @Override
        public int number() {
            return fd.number();
        }

        @Override
        public Socket accept() {
            int number = fd.number();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment errno = Errno.capture(arena);
                int accepted;
                try {
                    accepted = (int) ACCEPT.invokeExact(errno, number, MemorySegment.NULL, MemorySegment.NULL,
                            CLOEXEC_NONBLOCK);
                } catch (Throwable t) {
                    throw CLibrary.failure("accept4", t);
                }
                int reason = accepted < 0 ? Errno.of(errno) : 0;
                if (reason == Errno.EAGAIN || reason == Errno.EINTR || reason == ECONNABORTED) {
                    return null;
                }
                return new LinuxUnixSocket(LinuxDescriptors.INSTANCE.adopt(
                        Errno.checked(accepted, errno, "cannot accept a connection")));
            }
        }

        @Override
        public void close() {
            fd.close();
        }
    }
}
